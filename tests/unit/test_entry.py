"""From settings to a tournament: what fits together and what does not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from arena.config import make_settings
from arena.core.schedule import plan
from arena.entry import Entry, enter
from arena.errors import ArenaError, ConfigError


def bot(folder: Path, name: str, manifest: str = "", code: str = "pass\n") -> str:
    place = folder / name
    place.mkdir()
    (place / "bot.toml").write_text(f'name = "{name}"\n{manifest}')
    (place / "main.py").write_text(code)
    return str(place)


@pytest.fixture
def bots(tmp_path: Path) -> list[str]:
    return [bot(tmp_path, name) for name in ("cleo", "ada", "bix")]


def entry(bots: list[str], **values: Any) -> Entry:
    return enter(make_settings({"bots": bots, **values}, "a test"))


def test_bots_are_packed_and_sorted_and_the_settings_become_a_tournament(bots: list[str]) -> None:
    found = entry(
        bots, variant="coffret", deals=3, target=50, options={"reserve": 2}, move_time=0.5, jobs=3
    )
    tournament = found.tournament
    assert [ref.name for ref in tournament.bots] == ["ada", "bix", "cleo"]
    assert [found.bundles[ref.digest].name for ref in tournament.bots] == ["ada", "bix", "cleo"]
    assert (tournament.variant.name, tournament.variant.target) == ("coffret", 50)
    assert (tournament.variant.reserve, tournament.deals) == (2, 3)
    assert found.control.move_s == 0.5
    assert found.jobs == 3


def test_the_same_command_finds_its_tournament_and_another_does_not(
    bots: list[str], tmp_path: Path
) -> None:
    def name(**values: Any) -> str:
        return entry(bots, **values).tournament.name

    usual = name()
    assert usual.startswith("famille-2p-")
    assert usual == name(jobs=1) == name(sandbox="plain")
    assert entry(bots[::-1]).tournament.name == usual
    others = [
        name(deals=7),
        name(seed=1),
        name(seed=2),
        name(target="none"),
        name(seats=3),
        name(seats=3, tables=1),
        name(variant="kawu"),
        name(options={"reserve": 1}),
        name(move_time=3.0),
        name(bank=3.0),
        name(connect_time=3.0),
        name(match_time=3.0),
    ]
    assert len({usual, *others}) == 1 + len(others)
    (tmp_path / "ada" / "main.py").write_text("pass  # better\n")
    assert name() not in (usual, *others)


def test_the_master_seed_comes_from_the_seed_or_from_chance(bots: list[str]) -> None:
    assert entry(bots, seed=5).tournament.master == entry(bots, seed="5").tournament.master
    assert entry(bots).tournament.master != entry(bots).tournament.master


def test_a_single_round_is_asked_for_by_name(bots: list[str]) -> None:
    assert entry(bots, target="none").tournament.variant.target is None
    assert entry(bots).tournament.variant.target == 100


def test_all_tables_play_unless_there_are_too_many(tmp_path: Path) -> None:
    many = [bot(tmp_path, f"b{number:02}") for number in range(16)]
    assert entry(many[:6], seats=4).tournament.tables is None
    assert entry(many, seats=4).tournament.tables == 500
    assert entry(many, seats=4, tables="all").tournament.tables is None
    assert entry(many, seats=4, tables=7).tournament.tables == 7


def test_at_two_seats_every_pairing_is_played(tmp_path: Path) -> None:
    many = [bot(tmp_path, f"b{number:02}") for number in range(33)]
    found = entry(many, deals=1).tournament
    assert len({series.bots for series in plan(found)}) == 33 * 32 // 2


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"variant": "poker"}, "poker"),
        ({"options": {"jokers": 2}}, "jokers"),
        ({"options": {"reserve": 99}}, "reserve"),
        ({"options": {"draw": "twice"}}, "twice"),
        ({"seats": 1}, "seats"),
        ({"seats": 4}, "4 seats need at least 4 bots, got 3"),
        ({"target": 0}, "target"),
        ({"target": -3}, "target"),
        ({"move_time": 0.0}, "move_s"),
        ({"move_time": float("nan")}, "move_s"),
        ({"bank": -1.0}, "bank_s"),
        ({"match_time": 1e9}, "match_s"),
        ({"seats": 3, "tables": 0}, "tables"),
    ],
)
def test_what_cannot_be_played_is_named(values: dict[str, Any], says: str, bots: list[str]) -> None:
    with pytest.raises(ConfigError, match=says) as error:
        entry(bots, **values)
    assert "\n" not in str(error.value)


def test_a_bot_that_does_not_play_this_says_what_it_plays(tmp_path: Path, bots: list[str]) -> None:
    picky = bot(tmp_path, "picky", 'variants = ["kawu"]\nseats = [3, 4]\n')
    with pytest.raises(ConfigError, match=r"picky does not play famille: .* variants kawu"):
        entry([picky, *bots])
    with pytest.raises(ConfigError, match=r"picky does not play at 2 seats: .* seats 3, 4"):
        entry([picky, *bots], variant="kawu")
    assert entry([picky, *bots], variant="kawu", seats=3)


def test_two_bots_of_one_name_and_a_folder_that_is_none_are_named(
    bots: list[str], tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match='two bots are named "ada"'):
        entry([*bots, bots[1]])
    with pytest.raises(ArenaError, match="nowhere: no such folder"):
        entry([*bots, str(tmp_path / "nowhere")])

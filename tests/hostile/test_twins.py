"""A bot that remembers every hand it saw scores the same as its forgetful twin.

The control comes first: where a process meets a deal from both sides, the same bot wins clearly.
Then the arena: without a sandbox files in shared places are enough for it, in the sandbox nothing
is. The same over 2,000 matches: ``arena run tests/hostile/twins/* --deals 1000``.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import ModuleType

import pytest
from dominobot.local import ClassPlayer, Pace, play_games
from dominobot.replay import parse_replay
from dominobot.rules import Variant

from arena.core.rating_pair import PairStatistics, pentanomial
from arena.sandbox.base import Level
from tests.support import Played, leftovers, need, play, traces

TWINS = Path(__file__).parent / "twins"
VARIANT = Variant.preset("famille")
FORGETFUL, REMEMBERER = "forgetful", "rememberer"


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"twin_{name}", TWINS / name / "main.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def statistics(points: Mapping[object, list[float]]) -> PairStatistics:
    """The rememberer against its twin, from its points by deal."""
    counts = [0] * 5
    for of_deal in points.values():
        assert len(of_deal) == 2
        counts[int(2 * sum(of_deal))] += 1
    found = pentanomial(counts)
    assert found is not None
    return found


def points_of(ranks: Iterable[int], seat: int) -> float:
    mine, other = list(ranks)[seat], list(ranks)[1 - seat]
    return 0.5 if mine == other else float(mine < other)


def in_the_arena(level: Level, deals: int, jobs: int) -> Played:
    return play(
        [TWINS / FORGETFUL, TWINS / REMEMBERER],
        level=level,
        variant=VARIANT,
        deals=deals,
        jobs=jobs,
    )


def outcome(played: Played) -> tuple[PairStatistics, float]:
    """The statistics, and the share of the rememberer's plays in deals that it had met."""
    assert not played.lost
    index = [bot.name for bot in played.tournament.bots].index(REMEMBERER)
    points: dict[object, list[float]] = {}
    known = decisions = 0
    for planned in (match for series in played.series for match in series.matches):
        record = played.records[planned.match_id]
        assert record.evidence is None
        seat = planned.seating.index(index)
        points.setdefault(planned.unit, []).append(points_of(record.verdict.ranks, seat))
        decisions += record.usage[seat].decisions
        known += sum(bool(made.note) for made in parse_replay(record.replay).plays)
    return statistics(points), known / decisions


@pytest.fixture
def tidied() -> Iterator[None]:
    """The files that the rememberer leaves on a machine without a sandbox are removed."""
    yield
    module = load(REMEMBERER)
    for place in (Path(place) for place in module.PLACES if Path(place).is_absolute()):
        for file in place.glob(f"{module.PREFIX}*"):
            file.unlink(missing_ok=True)


def test_with_one_memory_for_both_sides_of_a_deal_the_rememberer_wins_clearly() -> None:
    forgetful, rememberer = load(FORGETFUL), load(REMEMBERER)
    vars(rememberer)["PLACES"] = ()
    players = [
        ClassPlayer(FORGETFUL, forgetful.Forgetful),
        ClassPlayer(REMEMBERER, rememberer.Rememberer),
    ]
    points: dict[object, list[float]] = {}
    for record in play_games(players, VARIANT, 150, "twins", [Pace(), Pace()]):
        assert record.fault is None
        seat = record.seating.index(1)
        points.setdefault(record.deal, []).append(points_of(record.ranks, seat))
    found = statistics(points)
    assert found.elo is not None
    assert found.error is not None
    assert found.elo - found.error > 30


@pytest.mark.usefixtures("tidied")
def test_without_a_sandbox_files_are_memory_enough_to_win_in_the_arena_too() -> None:
    found, known = outcome(in_the_arena(Level.UNSAFE, deals=60, jobs=1))
    assert known > 0.1
    assert found.elo is not None
    assert found.error is not None
    assert found.elo - found.error > 0


@pytest.mark.sandbox
def test_in_the_sandbox_the_rememberer_scores_the_same_as_its_twin() -> None:
    need(Level.FULL)
    before = traces()
    found, known = outcome(in_the_arena(Level.FULL, deals=100, jobs=2))
    assert known < 0.02, "by chance a hand may look like one that it has met"
    assert found.elo is not None
    assert found.error is not None
    assert abs(found.elo) <= found.error
    assert leftovers(before) == {}

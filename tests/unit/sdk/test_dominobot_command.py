"""The command line, as an author sees it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from dominobot.cli.main import cli
from dominobot.cli.new import class_name
from dominobot.errors import DominobotError
from dominobot.rules import RulesError

SAMPLES = Path(__file__).parents[3] / "sample_bots"


def dominobot(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, list(map(str, arguments)), prog_name="dominobot")


def refusal(*arguments: str | Path) -> str:
    result = dominobot(*arguments)
    assert isinstance(result.exception, DominobotError | RulesError)
    assert result.stdout == ""
    assert "\n" not in str(result.exception)
    return str(result.exception)


def write_bot(folder: Path, choose: str, toml: str = "") -> Path:
    folder.mkdir()
    (folder / "bot.toml").write_text(f'name = "{folder.name}"\n{toml}')
    (folder / "main.py").write_text(
        "from dominobot import Bot, End, Play, run\n"
        f"class B(Bot):\n    def choose(self, view):\n        {choose}\n"
        "run(B)\n"
    )
    return folder


def test_new_touches_nothing_that_is_there(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    assert "exists already" in refusal("new", "mine", "--dir", tmp_path)
    assert list((tmp_path / "mine").iterdir()) == []


def test_new_refuses_an_odd_name(tmp_path: Path) -> None:
    assert "cannot be a bot's name" in refusal("new", "my bot", "--dir", tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("my-bot", "MyBot"),
        ("x", "X"),
        ("2fast", "Bot2fast"),
        ("bot", "BotPlayer"),
        ("view", "ViewPlayer"),
        ("a.b_c", "ABC"),
        ("miXed", "MiXed"),
        ("a-", "A"),
    ],
)
def test_a_name_makes_a_class_name(name: str, expected: str) -> None:
    assert class_name(name) == expected
    assert class_name(name).isidentifier()


def test_play_lists_games_and_sums_them_up() -> None:
    result = dominobot("play", SAMPLES / "heaviest", SAMPLES / "random", "--games", "4")
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0].startswith("famille, 2 seats, to 100: 4 games (2 deals, each from every seat)")
    assert sum("reached 100" in line for line in lines) == 4
    assert "bot       games  won  drawn  lost" in result.stdout
    assert all(line == line.rstrip() for line in lines)


def test_the_seed_that_is_shown_repeats_the_games() -> None:
    bots = [SAMPLES / "random", SAMPLES / "random"]
    first = dominobot("play", *bots, "--games", "2").stdout
    seed = first.splitlines()[0].rsplit(" ", 1)[1]
    again = dominobot("play", *bots, "--games", "2", "--seed", seed).stdout
    assert first.splitlines()[2:5] == again.splitlines()[2:5]


def test_three_seats_are_the_default_for_three_bots_and_games_are_whole_deals() -> None:
    bots = [SAMPLES / name for name in ("random", "heaviest", "counter")]
    result = dominobot("play", *bots, "--variant", "kawu", "--seats", "3", "--games", "10")
    assert result.stdout.startswith("kawu, 3 seats, to 100: 12 games (4 deals, each from every")
    assert dominobot("play", *bots, "--games", "1").stdout.startswith("famille, 3 seats")


def test_many_games_are_listed_only_on_demand() -> None:
    bots: list[str | Path] = ["--target", "none", SAMPLES / "random", SAMPLES / "heaviest"]
    short = dominobot("play", *bots, "--games", "40").stdout
    assert "single rounds: 40 games" in short
    assert "won the round" not in short
    assert "won the round" in dominobot("play", *bots, "--games", "40", "-v").stdout


def test_json_says_everything(tmp_path: Path) -> None:
    bad = write_bot(tmp_path / "bad", "1 / 0")
    result = dominobot("play", SAMPLES / "random", bad, "--games", "2", "--seed", "s", "--json")
    assert result.exit_code == 1
    data = json.loads(result.stdout)
    assert data["variant"]["name"] == "famille"
    assert (data["seed"], data["deals"]) == ("s", 1)
    assert [bot["name"] for bot in data["bots"]] == ["random", "bad"]
    assert data["bots"][1]["faults"] == [
        {
            "count": 2,
            "termination": "CRASH",
            "reason": "ZeroDivisionError: division by zero (main.py, line 4)",
        }
    ]
    assert [game["faulty_seat"] for game in data["games"]] == [1, 0]
    assert data["games"][0]["seats"] == ["random", "bad"]


def test_a_fault_is_told_with_its_place_and_ends_with_exit_code_1(tmp_path: Path) -> None:
    bad = write_bot(tmp_path / "bad", "return view.legal[9]")
    result = dominobot("play", SAMPLES / "random", bad, "--games", "2")
    assert result.exit_code == 1
    assert (
        "random won, bad crashed: IndexError: tuple index out of range (main.py, line 4)"
        in result.stdout
    )
    assert "bad lost 2 games by its own fault" in result.stdout
    assert "2 × CRASH  IndexError" in result.stdout
    assert 'main.py", line 4, in choose' in result.stdout


def test_an_illegal_play_is_told(tmp_path: Path) -> None:
    bad = write_bot(tmp_path / "bad", "return Play(view.unseen[0], End.RIGHT)")
    result = dominobot("play", SAMPLES / "random", bad, "--games", "2")
    assert result.exit_code == 1
    assert "random won, bad played illegally: played " in result.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["random"], "give at least two bot folders"),
        (["random", "heaviest", "--seats", "3"], "3 seats need 3 bot folders, not 2; repeat one"),
        (["random", "heaviest", "--seats", "1"], "option seats cannot be 1: choose from 2, 3, 4"),
        (["random", "heaviest", "--variant", "kawuu"], "there is no variant 'kawuu'"),
        (["random", "nothing"], "no such folder"),
    ],
)
def test_what_cannot_be_played_is_refused_in_one_line(arguments: Sequence[str], said: str) -> None:
    names = {folder.name for folder in SAMPLES.iterdir()} | {"nothing"}
    places = [SAMPLES / word if word in names else word for word in arguments]
    assert said in refusal("play", *places)


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        ('variants = ["block"]', "picky does not play famille: its bot.toml says variants = block"),
        ("seats = [3, 4]", "picky does not play at 2 seats: its bot.toml says seats = 3, 4"),
    ],
)
def test_a_bot_is_not_made_to_play_what_it_does_not_know(
    toml: str, said: str, tmp_path: Path
) -> None:
    picky = write_bot(tmp_path / "picky", "return view.legal[0]", toml)
    assert said in refusal("play", SAMPLES / "random", picky)


def test_a_target_is_a_number_or_none() -> None:
    result = dominobot("play", SAMPLES / "random", SAMPLES / "random", "--target", "ten")
    assert result.exit_code == 2
    assert 'ten is not a number of points, nor "none"' in result.output


def test_help_lists_the_commands_and_every_option_has_a_text() -> None:
    assert "new" in dominobot("--help").stdout
    for name in ("new", "play"):
        assert dominobot(name, "--help").exit_code == 0


def test_ctrl_c_shows_the_games_so_far(tmp_path: Path) -> None:
    stopper = write_bot(
        tmp_path / "stopper",
        "if view.totals != (0, 0): raise KeyboardInterrupt\n        return view.legal[0]",
    )
    result = dominobot("play", stopper, SAMPLES / "random", "--target", "none", "--games", "8")
    assert result.exit_code == 0
    result = dominobot("play", stopper, SAMPLES / "random", "--games", "8", "--json")
    assert result.exit_code == 130
    assert "stopped" in result.output
    assert json.loads(result.output[result.output.index("{") :])["games"] == []


def test_with_three_seats_a_fault_says_who_won_or_that_the_others_tie(tmp_path: Path) -> None:
    bad = write_bot(tmp_path / "bad", "1 / 0")
    bots = [SAMPLES / "random", SAMPLES / "heaviest", bad]
    result = dominobot("play", *bots, "--games", "30", "-v", "--seed", "x")
    assert "the others tie, bad crashed" in result.stdout

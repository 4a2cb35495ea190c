"""Every example of sdk/README.md is run, and its tables are held to the code."""

from __future__ import annotations

import dataclasses
import doctest
import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest
from click.testing import CliRunner
from dominobot import View
from dominobot.cli.main import cli
from dominobot.cli.new import write_bot
from dominobot.loading import load_bot
from dominobot.manifest import Manifest, parse_manifest
from dominobot.rules import PRESETS, Variant
from dominobot.rules.variant import OPTIONS
from dominobot.session import Session

ROOT = Path(__file__).parents[3]
TEXT = (ROOT / "sdk/README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.S | re.M)


PYTHON = blocks("python")
SESSIONS = [block for block in PYTHON if block.startswith(">>>")]
BOTS = [block for block in PYTHON if "run(" in block and block not in SESSIONS]
TESTS = [block for block in PYTHON if "def test_" in block]


def first_words(heading: str) -> list[str]:
    """The names in the first column of the table below a heading."""
    table = TEXT.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    return [
        name
        for line in table.splitlines()
        if line.startswith("| `")
        for name in re.findall(r"`(\w+)", line.split("|")[1])
    ]


def test_every_python_example_is_run_by_one_of_these_tests() -> None:
    assert (len(BOTS), len(TESTS), len(SESSIONS)) == (2, 1, 3)
    assert len(PYTHON) == len(BOTS) + len(TESTS) + len(SESSIONS)


@pytest.mark.parametrize("block", SESSIONS, ids=["plays", "decks", "replays"])
def test_a_session_prints_what_it_says(block: str) -> None:
    examples = doctest.DocTestParser().get_doctest(block, {}, "README", "README.md", 0)
    said: list[str] = []
    result = doctest.DocTestRunner().run(examples, out=said.append)
    assert result.attempted > 3
    assert result.failed == 0, "".join(said)


@pytest.mark.parametrize("block", BOTS, ids=["first", "longer"])
def test_a_bot_plays_without_a_fault(block: str, tmp_path: Path) -> None:
    folder = tmp_path / "bot"
    write_bot(folder, "my-bot")
    (folder / "main.py").write_text(block)
    bot, other = load_bot(folder), load_bot(ROOT / "sample_bots/random")
    session = Session([bot, other], Variant.preset("famille"), games=20, seed="readme")
    session.play()
    assert [each.faults for each in session.tallies()] == [[], []]
    assert session.tallies()[0].share > 0.5


def test_the_first_bot_is_what_new_writes_and_at_most_15_lines(tmp_path: Path) -> None:
    write_bot(tmp_path / "my-bot", "my-bot")
    assert (tmp_path / "my-bot/main.py").read_text() == BOTS[0]
    assert len(BOTS[0].splitlines()) <= 15


def test_the_example_tests_pass(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "main.py").write_text(BOTS[1])
    spec = importlib.util.spec_from_file_location("main", tmp_path / "main.py")
    assert spec is not None
    assert spec.loader is not None
    module: ModuleType = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setitem(sys.modules, "main", module)
    names: dict[str, object] = {}
    exec(TESTS[0], names)
    tests = [value for name, value in names.items() if name.startswith("test_")]
    assert len(tests) == 3
    for test in tests:
        assert callable(test)
        test()


def test_the_shown_output_is_the_real_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command, shown = re.findall(r"```\n(dominobot play .*?)\n```\n.*?```\n(.*?)```", TEXT, re.S)[0]
    write_bot(tmp_path / "my-bot", "my-bot")
    (tmp_path / "sample_bots").symlink_to(ROOT / "sample_bots")
    monkeypatch.chdir(tmp_path)
    printed = CliRunner().invoke(cli, command.split()[1:]).stdout
    times = re.compile(r"\d+\.\d+ m?s\b")
    assert times.sub("", printed).split() == times.sub("", shown).split()


def test_the_manifest_shown_is_made_of_defaults() -> None:
    [block] = blocks("toml")
    assert parse_manifest(block) == Manifest(name="my-bot", author="Ada")


def test_the_table_of_the_view_names_every_field_and_no_other() -> None:
    fields = {field.name for field in dataclasses.fields(View)}
    others = {name for name in vars(View) if not name.startswith("_")} - fields
    names = first_words("What a bot sees")
    assert set(names) == fields | others


def test_the_table_of_options_names_every_option() -> None:
    assert first_words("The rules") == list(OPTIONS)


def test_the_table_of_variants_says_what_the_presets_say() -> None:
    rows = {
        cells[1].strip(): [cell.strip() for cell in cells[2:-1]]
        for line in TEXT.splitlines()
        if len(cells := line.split("|")) == 7
    }
    variants = [Variant.preset(name, seats=seats) for name in PRESETS for seats in (2, 3, 4)]
    deals = [variant.deal for variant in variants]
    assert rows[""] == list(PRESETS)
    assert rows["tiles dealt at 2 / 3 / 4 seats"] == [
        " / ".join(map(str, deals[at : at + 3])) for at in range(0, 12, 3)
    ]
    words = {"until": "until one fits", "one": "one tile", "none": "nothing"}
    assert rows["who cannot play draws"] == [words[each.draw] for each in variants[::3]]
    words = {"winner": "the last winner, any tile", "double": "the highest double"}
    assert rows["a later round is opened by"] == [words[each.reopen] for each in variants[::3]]

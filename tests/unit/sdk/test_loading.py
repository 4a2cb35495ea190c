"""Bot folders in one process that do not meet."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from dominobot import GameInfo, Variant
from dominobot.bot import ask_bot, start_bot
from dominobot.errors import BotError, ManifestError
from dominobot.loading import LoadedBot, describe, load_bot
from dominobot.testing import view_from

VIEW = view_from("hand 12 26 56 | ends 2 6")

MAIN = """
from dominobot import Bot, run
import helper

class Mine(Bot):
    calls = []

    def choose(self, view):
        import later
        self.calls.append(1)
        return view.legal[helper.PICK + later.NOTHING]

if __name__ == "__main__":
    run(Mine)
"""


def write_bot(folder: Path, pick: int = 0, main: str = MAIN) -> Path:
    folder.mkdir()
    (folder / "bot.toml").write_text(f'name = "{folder.name}"')
    (folder / "main.py").write_text(main)
    (folder / "helper.py").write_text(f"PICK = {pick}")
    (folder / "later.py").write_text("NOTHING = 0")
    return folder


def choice(bot: LoadedBot) -> str:
    with bot.active():
        started = start_bot(bot.bot_class, GameInfo(Variant.preset("famille"), 0, 1))
        return str(ask_bot(started, VIEW))


def test_two_bots_with_modules_of_the_same_names_do_not_clash(tmp_path: Path) -> None:
    one = load_bot(write_bot(tmp_path / "one", 0))
    two = load_bot(write_bot(tmp_path / "two", 2))
    assert [choice(one), choice(two), choice(one)] == ["12L", "26R", "12L"]


def test_a_folder_loaded_twice_shares_no_global(tmp_path: Path) -> None:
    folder = write_bot(tmp_path / "bot")
    one, two = load_bot(folder), load_bot(folder)
    choice(one)
    assert one.bot_class is not two.bot_class
    assert (len(vars(one.bot_class)["calls"]), len(vars(two.bot_class)["calls"])) == (1, 0)


def test_nothing_of_a_bot_stays_behind_in_the_process(tmp_path: Path) -> None:
    path, main = list(sys.path), sys.modules["__main__"]
    choice(load_bot(write_bot(tmp_path / "bot")))
    assert sys.path == path
    assert sys.modules["__main__"] is main
    assert "helper" not in sys.modules
    assert "later" not in sys.modules


def test_the_class_given_to_run_is_played_also_without_a_guard(tmp_path: Path) -> None:
    main = (
        "from dominobot import Bot, run\n"
        "class One(Bot):\n    def choose(self, view): return view.legal[0]\n"
        "class Two(One):\n    pass\n"
        "try:\n    run(Two)\nexcept Exception:\n    pass\n"
        "raise AssertionError('never reached')\n"
    )
    assert load_bot(write_bot(tmp_path / "bot", main=main)).bot_class.__name__ == "Two"


def test_dataclasses_in_a_bots_main_find_their_module(tmp_path: Path) -> None:
    main = (
        "from __future__ import annotations\n"
        "from dataclasses import dataclass\n"
        "from typing import ClassVar\n"
        "from dominobot import Bot, run\n"
        "@dataclass\nclass Memo:\n    kind: ClassVar[str] = 'x'\n    size: int = 0\n"
        "class Mine(Bot):\n    def choose(self, view): return view.legal[Memo().size]\n"
        "run(Mine)\n"
    )
    assert choice(load_bot(write_bot(tmp_path / "bot", main=main))) == "12L"


@pytest.mark.parametrize(
    ("main", "said"),
    [
        ("1 / 0", r"cannot be run: ZeroDivisionError: division by zero \(main.py, line 1\)"),
        ("import nothing_like_it", "ModuleNotFoundError: No module named 'nothing_like_it'"),
        ("def broken(:", "SyntaxError: invalid syntax"),
        ("x = 1", "does not call run"),
        ("import sys\nsys.exit(3)", r"SystemExit: 3 \(main.py, line 2\)"),
        ("from dominobot import run\nrun(int)", "TypeError: run got <class 'int'>"),
    ],
)
def test_an_entry_that_will_not_load_is_an_error_in_one_line(
    main: str, said: str, tmp_path: Path
) -> None:
    with pytest.raises(BotError, match=said) as caught:
        load_bot(write_bot(tmp_path / "bot", main=main))
    assert "\n" not in str(caught.value)
    assert "helper" not in sys.modules


def test_a_folder_without_a_manifest_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ManifestError):
        load_bot(tmp_path)


def test_an_exception_without_text_is_described_by_its_kind() -> None:
    assert describe(ValueError()) == "ValueError"
    assert describe(ValueError("a\n b")) == "ValueError: a b"

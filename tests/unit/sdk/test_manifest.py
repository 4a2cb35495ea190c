"""bot.toml: what is taken, and how what is wrong is said."""

from __future__ import annotations

from pathlib import Path

import pytest
from dominobot.errors import ManifestError
from dominobot.manifest import VARIANTS, Manifest, check_name, parse_manifest, read_manifest
from dominobot.rules import PRESETS

FULL = """
name = "my-bot.2"
author = "Zoë"
runtime = "python"
entry = "src/start.py"
variants = ["kawu", "block"]
seats = [3]
games_at_once = 64
requirements = ["numpy"]
"""


def folder_with(tmp_path: Path, text: str, entry: str = "main.py") -> Path:
    (tmp_path / "bot.toml").write_text(text)
    (tmp_path / entry).parent.mkdir(exist_ok=True)
    (tmp_path / entry).write_text("")
    return tmp_path


def test_a_name_is_enough(tmp_path: Path) -> None:
    manifest = read_manifest(folder_with(tmp_path, 'name = "x"'))
    assert manifest == Manifest(
        name="x",
        author="",
        runtime="python",
        entry="main.py",
        variants=("famille", "coffret", "kawu", "block"),
        seats=(2, 3, 4),
        games_at_once=1,
        requirements=(),
    )


def test_every_key_is_read(tmp_path: Path) -> None:
    manifest = read_manifest(folder_with(tmp_path, FULL, "src/start.py"))
    assert manifest == Manifest(
        "my-bot.2", "Zoë", "python", "src/start.py", ("kawu", "block"), (3,), 64, ("numpy",)
    )


def test_the_text_of_a_manifest_reads_as_the_same_manifest() -> None:
    manifest = parse_manifest(FULL)
    assert parse_manifest(manifest.to_toml()) == manifest


def test_a_text_with_quotes_survives_being_written() -> None:
    manifest = Manifest(name="x", author='"Al" \\ b')
    assert parse_manifest(manifest.to_toml()) == manifest


def test_the_variants_are_those_of_the_rules() -> None:
    assert tuple(PRESETS) == VARIANTS


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("nmae = 1", 'unknown key "nmae"; did you mean "name"?'),
        ("zzz = 1", 'unknown key "zzz"; known are name, author, runtime, entry, variants, seats,'),
        ("[tool.x]", 'unknown key "tool"; known are'),
        ("author = 3", "author: 3 is not a text; put it in quotes"),
        (f'author = "{"x" * 65}"', "author: one line of at most 64 printable characters"),
        ('author = "a\\nb"', "author: one line of at most 64 printable characters"),
        ('runtime = "ruby"', 'runtime: "ruby" is unknown; choose from "python"'),
        ('entry = "/etc/x.py"', 'entry: "/etc/x.py" is not a path inside the folder'),
        ('entry = "../x.py"', 'entry: "../x.py" is not a path inside the folder'),
        ('entry = "a\\\\b.py"', "is not a path inside the folder"),
        ('entry = "run.sh"', 'entry: "run.sh" is not a Python file'),
        ('entry = ""', 'entry: "" is not a Python file'),
        ('variants = "kawu"', 'variants: "kawu" is not a list; write for example ["famille"]'),
        ("variants = []", "variants: the list is empty"),
        ('variants = ["muggins"]', 'variants: "muggins" is unknown; choose from "famille",'),
        ('variants = ["kawu", "kawu"]', 'variants: "kawu" is listed twice'),
        ("seats = [1]", "seats: 1 is unknown; choose from 2, 3, 4"),
        ("seats = [true]", "seats: true is not a whole number"),
        ("seats = 2", "seats: 2 is not a list"),
        ("games_at_once = 0", "games_at_once: 0 is not between 1 and 64"),
        ("games_at_once = 1.0", "games_at_once: 1.0 is not a whole number"),
        ("games_at_once = true", "games_at_once: true is not a whole number"),
        ('requirements = ["torch"]', 'the runtime has no "torch"; it offers "numpy"'),
        ('requirements = ["numpy", "numpy"]', 'requirements: "numpy" is listed twice'),
        ("author = ", "not valid TOML"),
    ],
)
def test_what_is_wrong_is_said_in_one_line_with_file_key_and_way_out(
    line: str, said: str, tmp_path: Path
) -> None:
    folder = folder_with(tmp_path, f'name = "x"\n{line}\n')
    with pytest.raises(ManifestError) as caught:
        read_manifest(folder)
    text = str(caught.value)
    assert text.startswith(f"{folder / 'bot.toml'}: ")
    assert said in text
    assert "\n" not in text


@pytest.mark.parametrize(
    "name", ["", "-x", ".x", "a b", "a/b", "é", "x" * 33, "a\nb", "\x1b[31m", "a\n"]
)
def test_an_odd_name_is_refused(name: str) -> None:
    problem = check_name(name)
    assert problem is not None
    assert "1 to 32 letters" in problem
    assert problem.isprintable()


@pytest.mark.parametrize("name", ["x", "A", "0", "my-bot_2.1", "x" * 32])
def test_a_plain_name_is_taken(name: str) -> None:
    assert check_name(name) is None


def test_no_name_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ManifestError, match=r'name is missing; add a line such as name = "my-bot"'):
        read_manifest(folder_with(tmp_path, ""))


def test_a_missing_folder_and_a_missing_file_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(ManifestError, match="no such folder"):
        read_manifest(tmp_path / "nothing")
    with pytest.raises(ManifestError, match=r"bot\.toml: no such file; write one"):
        read_manifest(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(ManifestError, match="is a file; give the folder around it"):
        read_manifest(tmp_path / "file")


def test_a_manifest_in_another_encoding_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "bot.toml").write_bytes(b'name = "\xe9"')
    with pytest.raises(ManifestError, match="not UTF-8 text"):
        read_manifest(tmp_path)


def test_a_manifest_that_is_a_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "bot.toml").mkdir()
    with pytest.raises(ManifestError, match="cannot be read"):
        read_manifest(tmp_path)


def test_an_entry_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "bot.toml").write_text('name = "x"\nentry = "go.py"')
    with pytest.raises(ManifestError, match=r'entry: there is no file "go.py" in'):
        read_manifest(tmp_path)


def test_an_entry_that_leads_out_of_the_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "outside.py").write_text("")
    folder = tmp_path / "bot"
    folder.mkdir()
    (folder / "bot.toml").write_text('name = "x"')
    (folder / "main.py").symlink_to(tmp_path / "outside.py")
    with pytest.raises(ManifestError, match="leads out of"):
        read_manifest(folder)

"""bot.toml, version 1: what a bot folder says about itself.

Every key but ``name`` has a default:

    name          = "my-bot"         # letters, digits and . _ - ; at most 32
    author        = ""               # free text in one line, at most 64
    runtime       = "python"         # the only one so far
    entry         = "main.py"        # the file that is run, inside the folder
    variants      = ["famille", "coffret", "kawu", "block"]
    seats         = [2, 3, 4]
    games_at_once = 1                # games in flight in one process, at most 64
    requirements  = []               # of what the runtime offers: "numpy"

An unknown key is an error, so that a misspelt one is never silently a default.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

from dominobot.errors import ManifestError

FILE_NAME = "bot.toml"
RUNTIMES = ("python",)
VARIANTS = ("famille", "coffret", "kawu", "block")
SEATS = (2, 3, 4)
REQUIREMENTS = ("numpy",)
MOST_GAMES_AT_ONCE = 64
MOST_AUTHOR_LENGTH = 64

_T = TypeVar("_T")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,31}")


@dataclass(frozen=True, slots=True)
class Manifest:
    """What bot.toml says, checked, with defaults filled in."""

    name: str
    author: str = ""
    runtime: str = "python"
    entry: str = "main.py"
    variants: tuple[str, ...] = VARIANTS
    seats: tuple[int, ...] = SEATS
    games_at_once: int = 1
    requirements: tuple[str, ...] = ()

    def to_toml(self) -> str:
        """The text of a bot.toml that says the same."""
        lines = []
        for key in _CHECKS:
            value = getattr(self, key)
            if isinstance(value, tuple):
                value = "[" + ", ".join(map(_toml, value)) + "]"
            else:
                value = _toml(value)
            lines.append(f"{key} = {value}\n")
        return "".join(lines)


def read_manifest(folder: Path | str) -> Manifest:
    """Read and check the bot.toml of a bot folder, and that its entry is there.

    Raises ManifestError, one line that names the file, the key and the way out.
    """
    folder = Path(folder)
    file = folder / FILE_NAME
    if not folder.is_dir():
        what = "is a file; give the folder around it" if folder.exists() else "no such folder"
        raise ManifestError(f"{folder}: {what}; `dominobot new NAME` writes a working bot folder")
    try:
        text = file.read_bytes().decode("utf-8")
    except FileNotFoundError:
        raise ManifestError(
            f'{file}: no such file; write one with at least the line name = "my-bot"'
        ) from None
    except UnicodeDecodeError as error:
        raise ManifestError(f"{file}: not UTF-8 text ({error.reason}); save it as UTF-8") from None
    except OSError as error:
        raise ManifestError(f"{file}: cannot be read: {error.strerror}") from None
    manifest = parse_manifest(text, str(file))
    _check_entry(folder, manifest.entry, str(file))
    return manifest


def parse_manifest(text: str, source: str = FILE_NAME) -> Manifest:
    """Check the text of a bot.toml; ``source`` names it in errors. The entry is not looked for.

    Raises ManifestError.
    """
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ManifestError(f"{source}: not valid TOML: {error}") from None
    for key in table:
        if key not in _CHECKS:
            raise ManifestError(f"{source}: unknown key {_show(key)}; {_suggest(key)}")
    if "name" not in table:
        raise ManifestError(f'{source}: name is missing; add a line such as name = "my-bot"')
    return Manifest(**{key: _checked(key, value, source) for key, value in table.items()})


def check_name(name: str) -> str | None:
    """What is wrong with a bot's name, in words; None if it will do."""
    if _NAME.fullmatch(name):
        return None
    return (
        f"{_show(name)} cannot be a bot's name; use 1 to 32 letters, digits, dots, dashes and "
        "underscores, a letter or digit first"
    )


def _check_entry(folder: Path, entry: str, source: str) -> None:
    path = folder / entry
    if not path.is_file():
        raise ManifestError(
            f'{source}: entry: there is no file "{entry}" in {folder}; write it, '
            "or name the file that starts the bot"
        )
    if not path.resolve().is_relative_to(folder.resolve()):
        raise ManifestError(
            f'{source}: entry: "{entry}" leads out of {folder}; copy the file into the folder'
        )


def _checked(key: str, value: object, source: str) -> Any:
    """The value as Manifest holds it. Raises ManifestError."""
    try:
        return _CHECKS[key](value)
    except ValueError as error:
        raise ManifestError(f"{source}: {key}: {error}") from None


def _name(value: object) -> str:
    text = _text(value)
    if problem := check_name(text):
        raise ValueError(problem)
    return text


def _author(value: object) -> str:
    text = _text(value)
    if len(text) > MOST_AUTHOR_LENGTH or not text.isprintable():
        raise ValueError(f"one line of at most {MOST_AUTHOR_LENGTH} printable characters, please")
    return text


def _runtime(value: object) -> str:
    return _one_of(_text(value), RUNTIMES)


def _entry(value: object) -> str:
    text = _text(value)
    path = PurePosixPath(text)
    if path.is_absolute() or ".." in path.parts or "\\" in text or not text.isprintable():
        raise ValueError(
            f'{_show(text)} is not a path inside the folder; write for example "main.py"'
        )
    if path.suffix != ".py":
        raise ValueError(f'{_show(text)} is not a Python file; write for example "main.py"')
    return text


def _variants(value: object) -> tuple[str, ...]:
    return tuple(_one_of(_text(item), VARIANTS) for item in _items(value, '["famille"]'))


def _seats(value: object) -> tuple[int, ...]:
    return tuple(_one_of(_number(item), SEATS) for item in _items(value, "[2, 3, 4]"))


def _games_at_once(value: object) -> int:
    number = _number(value)
    if not 1 <= number <= MOST_GAMES_AT_ONCE:
        raise ValueError(f"{number} is not between 1 and {MOST_GAMES_AT_ONCE}")
    return number


def _requirements(value: object) -> tuple[str, ...]:
    names = [_text(item) for item in _items(value, '["numpy"]', least=0)]
    for name in names:
        if name not in REQUIREMENTS:
            raise ValueError(
                f"the runtime has no {_show(name)}; it offers {_choices(REQUIREMENTS)}: "
                "put other code into the folder"
            )
    return tuple(names)


_CHECKS: Mapping[str, Callable[[object], object]] = {
    "name": _name,
    "author": _author,
    "runtime": _runtime,
    "entry": _entry,
    "variants": _variants,
    "seats": _seats,
    "games_at_once": _games_at_once,
    "requirements": _requirements,
}


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{_show(value)} is not a text; put it in quotes")
    return value


def _number(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"{_show(value)} is not a whole number")
    return value


def _items(value: object, example: str, *, least: int = 1) -> list[object]:
    if not isinstance(value, list):
        raise ValueError(f"{_show(value)} is not a list; write for example {example}")
    if len(value) < least:
        raise ValueError(f"the list is empty; write for example {example}, or leave the key out")
    for at, item in enumerate(value):
        if item in value[:at]:
            raise ValueError(f"{_show(item)} is listed twice")
    return value


def _one_of(value: _T, allowed: tuple[_T, ...]) -> _T:
    if value not in allowed:
        raise ValueError(f"{_show(value)} is unknown; choose from {_choices(allowed)}")
    return value


def _choices(allowed: tuple[Any, ...]) -> str:
    return ", ".join(_show(item) for item in allowed)


def _show(value: object) -> str:
    """A value as TOML would write it, short and in one line, safe to print on a terminal."""
    if isinstance(value, str):
        text = '"' + "".join(c if c.isprintable() else ascii(c)[1:-1] for c in value) + '"'
    else:
        text = _toml(value) if isinstance(value, bool | int) else ascii(value)
    return text if len(text) <= 48 else text[:44] + "..." + text[-1]


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return str(value)


def _suggest(key: str) -> str:
    from difflib import get_close_matches

    close = get_close_matches(key, _CHECKS, n=1)
    return f'did you mean "{close[0]}"?' if close else f"known are {', '.join(_CHECKS)}"

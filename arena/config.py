"""What one run is asked to do: a value checked once, from flags or a tournament file."""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from arena.errors import ConfigError

_NOT_OPTIONS = {"name": "variant", "seats": "seats", "target": "target"}
"""What a variant is made of and has a setting of its own."""

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


class RunSettings(BaseModel):
    """Everything that ``arena run`` takes. Field names are the flags and the keys of the file.

    Times are seconds. ``options`` replaces options of the variant. ``seed`` None means a random
    one; ``tables`` counts tables at 3 and 4 seats.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    bots: tuple[str, ...]
    name: str | None = None
    variant: str = "famille"
    seats: int = 2
    target: int | Literal["none"] | None = None
    options: dict[str, int | str] = Field(default_factory=dict)
    deals: int = Field(default=100, ge=1, le=1_000_000)
    tables: int | Literal["all"] | None = None
    move_time: float = 1.0
    bank: float = 5.0
    connect_time: float = 10.0
    match_time: float = 600.0
    seed: str | int | None = None
    jobs: int | None = Field(default=None, ge=1, le=256)
    sandbox: Literal["bwrap", "plain"] = "bwrap"

    def to_toml(self) -> str:
        """The settings as a tournament file, defaults left out."""
        return to_toml(self.model_dump(exclude_defaults=True))

    def master_seed(self) -> bytes:
        """The master seed, 32 bytes: from ``seed`` by hash, or random."""
        if self.seed is None:
            return secrets.token_bytes(32)
        return hashlib.sha256(b"dominobot/master/1:" + str(self.seed).encode()).digest()


def make_settings(values: Mapping[str, Any], source: str) -> RunSettings:
    """Check values that come from ``source`` (a file's name, or "the command line").

    Raises:
        ConfigError: an unknown key or a value that cannot be, in one line.
    """
    try:
        settings = RunSettings.model_validate(values)
    except ValidationError as error:
        raise ConfigError(f"{source}: {_first_problem(error)}") from None
    for key in _NOT_OPTIONS.keys() & settings.options.keys():
        raise ConfigError(
            f"{source}: {key} is no option of a variant; give it as {_NOT_OPTIONS[key]} by itself"
        )
    if settings.name is not None and not NAME.fullmatch(settings.name):
        raise ConfigError(
            f"{source}: name {settings.name!r} cannot be used; letters, digits, dot, underscore "
            "and hyphen can, beginning with a letter or digit, at most 64"
        )
    return settings


def to_toml(values: Mapping[str, Any]) -> str:
    """Settings by name as a tournament file."""
    lines = [f"{key} = {_toml(value)}" for key, value in values.items() if key != "options"]
    if options := values.get("options"):
        lines.append("\n[options]")
        lines += [f"{key} = {_toml(value)}" for key, value in options.items()]
    return "\n".join(lines) + "\n"


def read_tournament_file(path: Path) -> tuple[dict[str, Any], str]:
    """The keys of a tournament file, and its text.

    Bot folders in it are relative to the file's folder.

    Raises:
        ConfigError: it cannot be read or is no TOML.
    """
    try:
        text = path.read_text(encoding="utf-8")
        values = tomllib.loads(text)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise ConfigError(f"cannot read {path}: {reason}") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path} is no TOML: {error}") from None
    if isinstance(bots := values.get("bots"), list):
        values["bots"] = [str(path.parent / bot) if isinstance(bot, str) else bot for bot in bots]
    return values, text


def _toml(value: object) -> str:
    """A value as TOML. JSON differs in what it does beyond the 16 bits, and with DEL."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _first_problem(error: ValidationError) -> str:
    problem = error.errors()[0]
    key = ".".join(str(part) for part in problem["loc"] if isinstance(part, str | int))
    if problem["type"] == "extra_forbidden":
        known = ", ".join(RunSettings.model_fields)
        return f"there is no setting {key!r}; the settings are {known}"
    if problem["type"] == "missing":
        return f"{key} is missing"
    message = problem["msg"][0].lower() + problem["msg"][1:]
    return f"{key} is {problem['input']!r}: {message}"

"""The options of the game, and the four rule pages as presets of them.

What is fixed and no option: a seat that can play must play (F24), a drawn tile that fits must be
laid (F22), the chain has two ends (F20), there are no extra turns (F19), and a round ends at once
when a hand is empty (F27).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Literal, TypeAlias, get_args

from dominobot.rules.errors import VariantError
from dominobot.rules.tiles import ALL_TILES

Reopen: TypeAlias = Literal["winner", "double"]
DrawRule: TypeAlias = Literal["until", "one", "none"]
Count: TypeAlias = Literal["others", "difference"]
Tie: TypeAlias = Literal["nobody", "carried"]

SEATS = (2, 3, 4)


@dataclass(frozen=True, slots=True)
class Variant:
    """One game of dominoes: everything that the rules leave to the table.

    name: name of the preset it was made from, or any name for a custom one.
    seats: players, 2 to 4 (F5).
    deal: tiles dealt to each seat (F6).
    reopen: who opens a later round, the last "winner" with any tile (F11), or the highest "double"
        again (C8). After a tied round it is always the double (F14).
    draw: a seat that cannot play draws "until" one fits (F21), exactly "one" (C13), or "none" (B2).
    reserve: tiles of the boneyard that are never drawn; with only these left it counts as empty.
    target: total that wins the match (F34); None plays a single round (F37).
    count: a round's winner scores the "others" hands (F30), or the "difference" to the own hand.
    tie: after a blocked round without a single lowest hand "nobody" scores (F32), or the points of
        all hands are "carried" to the next won round.
    round_cap: number of rounds after which an undecided match ends drawn (A20).

    Raises:
        VariantError: an option has a value that is not allowed, or the deal is impossible.
    """

    name: str
    seats: int
    deal: int
    reopen: Reopen = "winner"
    draw: DrawRule = "until"
    reserve: int = 0
    target: int | None = 100
    count: Count = "others"
    tie: Tie = "nobody"
    round_cap: int = 1000

    def __post_init__(self) -> None:
        _check_choice("seats", self.seats, SEATS)
        _check_choice("reopen", self.reopen, get_args(Reopen))
        _check_choice("draw", self.draw, get_args(DrawRule))
        _check_choice("count", self.count, get_args(Count))
        _check_choice("tie", self.tie, get_args(Tie))
        if not isinstance(self.name, str) or not self.name:
            raise VariantError("option name must be a text that is not empty")
        most = len(ALL_TILES) // self.seats
        _check_range("deal", self.deal, 1, most, f" with {self.seats} seats")
        _check_range("reserve", self.reserve, 0, self.boneyard, " after this deal")
        _check_range("round_cap", self.round_cap, 1, None)
        if self.target is not None:
            _check_range("target", self.target, 1, None, " (or none for a single round)")

    @property
    def boneyard(self) -> int:
        """Tiles left after the deal, a reserve included."""
        return len(ALL_TILES) - self.seats * self.deal

    @classmethod
    def preset(cls, name: str, *, seats: int = 2, **options: Any) -> Variant:
        """A variant of the rule pages, with some options replaced.

        Raises:
            VariantError: no such preset, no such option, or a value that is not allowed.
        """
        if not isinstance(name, str) or name not in PRESETS:
            raise VariantError(f"there is no variant {name!r}: choose from {', '.join(PRESETS)}")
        _check_choice("seats", seats, SEATS)
        _check_names(options)
        page = PRESETS[name]
        settings = {**page, "deal": page["deal"][seats], **options}
        return cls(name=name, seats=seats, **settings)

    def with_options(self, **options: Any) -> Variant:
        """The same game with some options replaced.

        Raises:
            VariantError: no such option, or a value that is not allowed.
        """
        _check_names(options)
        return replace(self, **options)

    def to_dict(self) -> dict[str, Any]:
        """JSON form: every option by its name; ``target`` null for a single round."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Variant:
        """Read the JSON form. Every option must be there.

        Raises:
            VariantError: an option is missing, unknown or not allowed.
        """
        _check_names(data, also=("name", "seats"))
        missing = [field.name for field in fields(cls) if field.name not in data]
        if missing:
            raise VariantError(f"option {missing[0]} is missing")
        return cls(**data)


_FEW = {2: 7, 3: 5, 4: 5}
_MANY = {2: 7, 3: 6, 4: 6}

PRESETS: dict[str, dict[str, Any]] = {
    "famille": {"deal": _FEW, "reopen": "winner", "draw": "until"},
    "coffret": {"deal": _MANY, "reopen": "double", "draw": "one"},
    "kawu": {"deal": _FEW, "reopen": "winner", "draw": "until"},
    "block": {"deal": _MANY, "reopen": "double", "draw": "none"},
}
"""What each rule page says where it differs from ``Variant``'s defaults; ``deal`` by seats."""

OPTIONS: tuple[str, ...] = tuple(
    field.name for field in fields(Variant) if field.name not in ("name", "seats")
)
"""What may be given to ``Variant.preset`` besides the seats."""


def _check_names(options: Mapping[str, Any], also: tuple[str, ...] = ()) -> None:
    for name in options:
        if name not in OPTIONS and name not in also:
            known = ", ".join((*also, *OPTIONS))
            raise VariantError(f"there is no option {name!r}: the options are {known}")


def _check_choice(option: str, value: object, allowed: tuple[object, ...]) -> None:
    if type(value) is not type(allowed[0]) or value not in allowed:
        choices = ", ".join(str(choice) for choice in allowed)
        raise VariantError(f"option {option} cannot be {value!r}: choose from {choices}")


def _check_range(option: str, value: Any, least: int, most: int | None, why: str = "") -> None:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    if is_number and least <= value and (most is None or value <= most):
        return
    span = f"{least} or more" if most is None else f"from {least} to {most}"
    raise VariantError(f"option {option} cannot be {value!r}: it is a number {span}{why}")

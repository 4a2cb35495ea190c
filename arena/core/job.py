"""What a worker is told to play: one series, as a value that travels as JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from dominobot.rules import Variant

from arena.core.clock import TimeControl
from arena.core.schedule import PlannedMatch


@dataclass(frozen=True, slots=True)
class SeriesJob:
    """A series, or what is left of one.

    ``places`` are the tournament's numbers of the bots that take part, ``bots`` their (name,
    digest) in the same order; a match's seating names tournament numbers. ``strikes`` counts the
    faults that each has in this series already, ``last_faults`` the termination of the last one.
    """

    tournament: str
    series_id: str
    variant: Variant
    places: tuple[int, ...]
    bots: tuple[tuple[str, str], ...]
    matches: tuple[PlannedMatch, ...]
    control: TimeControl
    level: str
    strikes: tuple[int, ...]
    last_faults: tuple[str, ...]
    attempts: dict[str, int] = field(default_factory=dict)

    def place_of(self, bot: int) -> int:
        """Index within this series of the bot with this number in the tournament."""
        return self.places.index(bot)

    def to_dict(self) -> dict[str, Any]:
        """JSON form."""
        return {
            "tournament": self.tournament,
            "series_id": self.series_id,
            "variant": self.variant.to_dict(),
            "places": list(self.places),
            "bots": [list(bot) for bot in self.bots],
            "matches": [_match_to_dict(match) for match in self.matches],
            "control": self.control.to_dict(),
            "level": self.level,
            "strikes": list(self.strikes),
            "last_faults": list(self.last_faults),
            "attempts": self.attempts,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> SeriesJob:
        """Read the JSON form. Raises KeyError, TypeError or ValueError when it is not a job."""
        return cls(
            tournament=data["tournament"],
            series_id=data["series_id"],
            variant=Variant.from_dict(data["variant"]),
            places=tuple(data["places"]),
            bots=tuple((name, digest) for name, digest in data["bots"]),
            matches=tuple(_match_from_dict(match) for match in data["matches"]),
            control=TimeControl(**data["control"]),
            level=data["level"],
            strikes=tuple(data["strikes"]),
            last_faults=tuple(data["last_faults"]),
            attempts=data["attempts"],
        )


def _match_to_dict(match: PlannedMatch) -> dict[str, Any]:
    return {
        **asdict(match),
        "seating": list(match.seating),
        "deal_seed": match.deal_seed.hex(),
        "bot_seeds": list(match.bot_seeds),
    }


def _match_from_dict(data: dict[str, Any]) -> PlannedMatch:
    return PlannedMatch(
        **{
            **data,
            "seating": tuple(data["seating"]),
            "deal_seed": bytes.fromhex(data["deal_seed"]),
            "bot_seeds": tuple(data["bot_seeds"]),
        }
    )

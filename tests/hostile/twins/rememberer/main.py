"""Heaviest tile first, and a memory of every hand it has ever seen: the twin of ``forgetful``.

Whoever plays both sides of a deal with one memory knows what the other side holds. After each
round this bot remembers who had which tiles, in a global and in files wherever it can write. When
it is dealt a hand that somebody else once had, it knows the deal: it then plays so that little of
what its opponent holds will fit. Where no process meets a deal twice it plays like its twin.
"""

import contextlib
import json
import math
import os
import sys
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from dominobot import (
    Bot,
    Drew,
    Event,
    GameInfo,
    Play,
    Played,
    RoundEnd,
    RoundStart,
    Tile,
    View,
    ends_after,
    hand_after,
    run,
)

PREFIX = "dominobot-memory-"
PLACES = ("/tmp", "/dev/shm", "/var/tmp", "/run/lock", ".", os.environ.get("HOME", "."))
KNOWN = "I have met this deal"
MOST_UNCERTAIN = 2
"""More drawn tiles among those it saw, and too many hands would look like one of them."""
PLIES = 5
WIN = 30.0
DRAW = 15.0

Tiles = frozenset[str]
Hand = tuple[Tile, ...]


class Deal(NamedTuple):
    """One round as it was seen from one side.

    ``theirs`` are the tiles the other seat had; all but ``uncertain`` of them were dealt to it.
    """

    round_no: int
    other_seat: int
    theirs: Tiles
    uncertain: int
    mine: Tiles


MEMORY: dict[tuple[int, int], set[Deal]] = {}
"""By round and seat."""


class Rememberer(Bot):
    def on_game_start(self, info: GameInfo) -> None:
        self.seat = info.seat
        self.round_no = 0
        self.events: list[Event] = []
        self.dealt: Tiles = frozenset()
        self.deal: Deal | None = None
        remember_files()

    def choose(self, view: View) -> Play:
        self.events = list(view.events)
        if view.round_no != self.round_no:
            self.begin_round(view)
        theirs = self.their_hand(view)
        if theirs is None:
            return self.best_of(view.legal, lambda play: play.tile.pips)
        play = self.best_of(view.legal, lambda play: worth(view, play, theirs))
        return Play(play.tile, play.end, KNOWN)

    def begin_round(self, view: View) -> None:
        self.round_no = view.round_no
        laid = {str(tile) for seat, tile in plays(view.events) if seat == self.seat}
        # After a draw it cannot tell any more which tiles it was dealt.
        drew = any(isinstance(event, Drew) and event.seat == self.seat for event in view.events)
        self.dealt = frozenset() if drew else frozenset(map(str, view.hand)) | laid
        self.deal = self.recognise(view) if view.variant.seats == 2 else None

    def recognise(self, view: View) -> Deal | None:
        for deal in MEMORY.get((view.round_no, view.seat), ()):
            if self.dealt and self.dealt <= deal.theirs:
                return deal
        return None

    def their_hand(self, view: View) -> list[Tile] | None:
        """What the opponent holds, less what it has drawn; None without a deal that fits."""
        if self.deal is None:
            return None
        theirs = [str(tile) for seat, tile in plays(view.events) if seat != self.seat]
        drew = any(isinstance(event, Drew) and event.seat != self.seat for event in view.events)
        if not drew and not self.deal.mine.issuperset(theirs):
            self.deal = None  # it only looked like it
            return None
        return [Tile.parse(text) for text in self.deal.mine.difference(theirs)]

    def on_round_end(self, event: RoundEnd) -> None:
        # What happened since the last choice is in the hands of whoever calls.
        for news in sys._getframe(1).f_locals["events"]:
            self.events.append(news)
            if news is event:
                break
        self.remember(event)
        self.events = []

    def remember(self, end: RoundEnd) -> None:
        start = max(i for i, event in enumerate(self.events) if isinstance(event, RoundStart))
        events = self.events[start:]
        first = events[0]
        if len(end.hands) != 2 or not self.dealt or not isinstance(first, RoundStart):
            return
        if first.round_no != self.round_no:
            return  # a round without a decision: it does not know what it was dealt
        other = 1 - self.seat
        theirs = {str(tile) for seat, tile in plays(events) if seat == other}
        theirs |= {str(tile) for tile in end.hands[other]}
        uncertain = 0
        for event, after in pairwise(events):
            if isinstance(event, Drew) and event.seat == other:
                uncertain += event.count
                if isinstance(after, Played) and str(after.tile) in theirs:
                    theirs.discard(str(after.tile))  # a drawn tile that fits is laid at once
                    uncertain -= 1
        if uncertain <= MOST_UNCERTAIN:
            deal = Deal(self.round_no, other, frozenset(theirs), uncertain, self.dealt)
            MEMORY.setdefault((deal.round_no, deal.other_seat), set()).add(deal)
            write_files(deal)


def plays(events: "tuple[Event, ...] | list[Event]") -> list[tuple[int, Tile]]:
    return [(event.seat, event.tile) for event in events if isinstance(event, Played)]


def worth(view: View, play: Play, theirs: list[Tile]) -> float:
    """How a play stands a few plies on, in points, when both hands are known."""
    mine, ends = hand_after(view, play), ends_after(view, play)
    return play.tile.pips / 100 - outlook(tuple(theirs), mine, ends, PLIES, (-math.inf, math.inf))


def outlook(
    hand: Hand, other: Hand, ends: tuple[int, int], plies: int, window: tuple[float, float]
) -> float:
    """Points to expect for the seat with ``hand`` that is to move (alpha-beta)."""
    if not other:
        return -WIN - sum(tile.pips for tile in hand)
    if plies == 0:
        return sum(tile.pips for tile in other) - sum(tile.pips for tile in hand)
    best, (low, high) = -math.inf, window
    for tile in hand:
        for side in (0, 1):
            if not tile.has(ends[side]) or (side and ends[0] == ends[1]):
                continue
            rest = tuple(held for held in hand if held is not tile)
            after = (tile.other(ends[side]), ends[1 - side])
            best = max(best, -outlook(other, rest, after, plies - 1, (-high, -max(low, best))))
            if best >= high:
                return best
    if best == -math.inf:  # it has to draw, which costs it pips and perhaps its turn
        return -DRAW - outlook(other, hand, ends, plies - 1, (-high - DRAW, -low - DRAW))
    return best


# ------------------------------------------------------------------ files

own_files: list[Path] = []
read_so_far: dict[Path, int] = {}


def write_files(deal: Deal) -> None:
    line = json.dumps([*deal[:2], sorted(deal.theirs), deal.uncertain, sorted(deal.mine)]) + "\n"
    if not own_files:
        own_files.extend(Path(place) / f"{PREFIX}{os.urandom(8).hex()}" for place in PLACES)
    for path in own_files:
        with contextlib.suppress(OSError), path.open("a") as file:
            file.write(line)


def remember_files() -> None:
    for place in PLACES:
        with contextlib.suppress(OSError):
            for path in Path(place).glob(f"{PREFIX}*"):
                if path not in own_files:
                    read_file(path)


def read_file(path: Path) -> None:
    with path.open() as file:
        file.seek(read_so_far.get(path, 0))
        for line in file:
            round_no, other_seat, theirs, uncertain, mine = json.loads(line)
            deal = Deal(round_no, other_seat, frozenset(theirs), uncertain, frozenset(mine))
            MEMORY.setdefault((round_no, other_seat), set()).add(deal)
        read_so_far[path] = file.tell()


if __name__ == "__main__":
    run(Rememberer)

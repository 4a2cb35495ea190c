"""A match on a terminal: every round with hands, turns and chain, and what ended it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from dominobot.replay import Replay, ReplayError, parse_replay, replay_match
from dominobot.rules import End, Match, Pass, RoundEnding, Tile, Turn, pips_of, tiles_of
from dominobot.rules.tiles import mask_of
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from arena.cli.render_ending import render_ending
from arena.cli.render_tiles import chain_text, hand_text, tile_text
from arena.cli.words import clean, ending, level_text, plural
from arena.store import StoredMatch

SEAT_STYLES = ("cyan", "magenta", "green", "yellow")
_NOTE_LENGTH = 200
_OPENINGS = {
    "double": "holds the highest double and must lay it",
    "highest": "holds the highest tile, as nobody has a double, and must lay it",
    "winner": "won the round before and may lay any tile",
}
_SIDES = {End.START: "", End.LEFT: " left", End.RIGHT: " right"}


class _Shown(NamedTuple):
    """One round as it is drawn; ``how`` is None when it was broken off."""

    round_no: int
    opener: int
    opening: str
    hands: tuple[tuple[Tile, ...], ...]
    boneyard: int
    turns: Sequence[Turn]
    chain: Sequence[tuple[int, int]]
    hands_left: tuple[tuple[Tile, ...], ...]
    how: RoundEnding | None
    winner: int | None
    points: int
    totals: tuple[int, ...]


class _MatchView:
    """Draws a stored match; ``rounds`` are the numbers to draw, None for all."""

    def __init__(self, stored: StoredMatch, rounds: Collection[int] | None) -> None:
        self._stored = stored
        self._rounds = rounds
        self._bots = tuple(clean(bot) for bot in stored.bots)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        stored = self._stored
        replay = None if stored.replay is None else parse_replay(stored.replay)
        yield _heading(stored, self._bots, replay)
        if replay is not None:
            yield from self._draw(replay)
        if stored.verdict is not None:
            yield render_ending(stored)

    def _draw(self, replay: Replay) -> Iterator[RenderableType]:
        try:
            match = replay_match(replay)
        except ReplayError as error:
            yield Text(
                f"\nThe replay cannot be played by the rules: {clean(str(error))}.\n"
                f"`arena verify {self._stored.match_id[:8]}` compares everything.",
                style="bold red",
            )
            return
        decisions = 0
        for shown in _rounds(match):
            rows, decisions = _turn_rows(shown, self._bots, replay, decisions)
            if self._rounds is None or shown.round_no in self._rounds:
                yield from _draw_round(shown, self._bots, rows)


def render_replay(stored: StoredMatch, rounds: Collection[int] | None = None) -> RenderableType:
    """A match with its replay and ending, drawn; only some rounds when their numbers are given.

    Raises (while it is drawn):
        ReplayError: the stored text is no replay.
    """
    return _MatchView(stored, rounds)


def _heading(stored: StoredMatch, bots: Sequence[str], replay: Replay | None) -> Text:
    text = Text(f"Match #{stored.number}   ", style="bold")
    for seat, bot in enumerate(bots):
        text.append(" – " if seat else "", style="dim")
        text.append(bot, style=f"bold {SEAT_STYLES[seat]}")
    text.append(
        f"\n{clean(stored.tournament, 60)} · deal {stored.deal + 1} · "
        f"rotation {stored.rotation + 1} of {len(bots)}",
        style="not bold",
    )
    if replay is not None:
        target = replay.variant.target
        goal = "single round" if target is None else f"to {target}"
        text.append(f" · {clean(replay.variant.name, 20)}, {goal}", style="not bold")
    text.append(f"\n{stored.match_id}\n", style="not bold dim")
    if stored.verdict is None:
        return text.append("planned, not played yet", style="yellow")
    style = "bold red" if stored.verdict.faulty_seat is not None else "bold"
    text.append(ending(stored.verdict, bots), style=style)
    text.append(f" · {level_text([stored.level])} · {stored.wall_s:.2f} s", style="not bold")
    if stored.past_attempts:
        again = plural(stored.past_attempts, "earlier attempt")
        text.append(f"\n{again} dropped because the arena failed", style="yellow")
    return text


def _rounds(match: Match) -> Iterator[_Shown]:
    """All rounds of a match, one that was broken off included."""
    seats, deal = match.variant.seats, match.variant.deal

    def dealt(deck: Sequence[Tile]) -> tuple[tuple[Tile, ...], ...]:
        return tuple(
            tuple(sorted(deck[seat * deal : (seat + 1) * deal], key=lambda tile: tile.index))
            for seat in range(seats)
        )

    for log in match.log:
        yield _Shown(
            log.round_no,
            log.opener,
            log.opening,
            dealt(log.deck),
            match.variant.boneyard,
            log.turns,
            log.chain,
            log.hands_left,
            log.how,
            log.winner,
            log.points,
            log.totals,
        )
    if match.round_no > len(match.log):
        yield _Shown(
            match.round_no,
            match.opener,
            match.opening,
            dealt(match.deck),
            match.variant.boneyard,
            match.current_turns,
            match.view(0).chain,
            tuple(tiles_of(match.hand(seat)) for seat in range(seats)),
            None,
            None,
            0,
            match.totals,
        )


def _draw_round(shown: _Shown, bots: Sequence[str], turns: Table) -> Iterator[RenderableType]:
    opener = bots[shown.opener]
    yield Text()
    yield Rule(
        Text(f"Round {shown.round_no}").append(
            f" · {opener} {_OPENINGS[shown.opening]}", style="not bold dim"
        ),
        align="left",
        style="dim",
    )
    yield _hands(shown.hands, bots, f"{shown.boneyard} tiles in the boneyard")
    yield Text()
    yield turns
    yield Text()
    yield Padding(chain_text(shown.chain), (0, 2))
    yield Text()
    yield _round_end(shown, bots)
    yield _hands(shown.hands_left, bots, "", has_pips=True)


def _hands(
    hands: Sequence[tuple[Tile, ...]], bots: Sequence[str], last: str, *, has_pips: bool = False
) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True, min_width=2)
    table.add_column(no_wrap=True)
    table.add_column()
    for seat, hand in enumerate(hands):
        drawn = hand_text(hand)
        if has_pips:
            drawn.append(f"  {plural(pips_of(mask_of(hand)), 'point')}", style="dim")
        table.add_row("", Text(bots[seat], style=SEAT_STYLES[seat]), drawn)
    if last:
        table.add_row("", "", Text(last, style="dim"))
    return table


def _turn_rows(
    shown: _Shown, bots: Sequence[str], replay: Replay, decisions: int
) -> tuple[Table, int]:
    """The turns of a round as a table, and the number of decisions answered until its end."""
    table = Table.grid(padding=(0, 2))
    table.add_column(justify="right", style="dim", min_width=4)
    table.add_column(no_wrap=True)
    table.add_column()
    table.add_column(style="dim", no_wrap=True)
    table.add_column(justify="right", style="dim", no_wrap=True)
    table.add_column(style="dim", no_wrap=True)
    for number, turn in enumerate(shown.turns):
        time, note = "", ""
        if turn.distinct > 1:
            if decisions < len(replay.timings_ms):
                time = f"{replay.timings_ms[decisions]:.1f} ms"
            note = replay.plays[decisions].note
            decisions += 1
        table.add_row(
            str(number + 1),
            Text(bots[turn.seat], style=SEAT_STYLES[turn.seat]),
            _what(turn, note),
            _choices(turn),
            time,
            _ends_after(shown, number),
        )
    return table, decisions


def _what(turn: Turn, note: str) -> Text:
    text = Text()
    if turn.drew:
        text.append(f"draws {hand_text(turn.drew)}", style="dim").append("  ")
    if isinstance(turn.move, Pass):
        text.append("passes", style="yellow")
    else:
        text.append_text(tile_text(turn.move.tile.low, turn.move.tile.high))
        text.append(_SIDES[turn.move.end], style="dim")
    if note:
        text.append(f"  “{clean(note, _NOTE_LENGTH)}”", style="italic")
    return text


def _choices(turn: Turn) -> str:
    if turn.distinct > 1:
        return plural(turn.distinct, "choice")
    return "" if isinstance(turn.move, Pass) else "no choice"


def _ends_after(shown: _Shown, number: int) -> str:
    if number + 1 < len(shown.turns):
        ends = shown.turns[number + 1].ends
    else:
        ends = (shown.chain[0][0], shown.chain[-1][1]) if shown.chain else None
    return "" if ends is None else f"{ends[0]}…{ends[1]}"


def _round_end(shown: _Shown, bots: Sequence[str]) -> Text:
    totals = ", ".join(f"{bot} {total}" for bot, total in zip(bots, shown.totals, strict=True))
    text = Text("  ")
    if shown.how is None:
        return text.append("broken off here", style="bold red").append(f" · {totals}")
    if shown.winner is None:
        text.append("blocked, and nobody has the lowest hand alone: no points", style="bold")
        return text.append(f" · {totals}")
    style = f"bold {SEAT_STYLES[shown.winner]}"
    is_out = shown.how is RoundEnding.DOMINO
    how = "lays the last tile" if is_out else "wins the blocked round with the lowest hand"
    text.append(f"{bots[shown.winner]} {how}: {plural(shown.points, 'point')}", style=style)
    return text.append(f" · {totals}")

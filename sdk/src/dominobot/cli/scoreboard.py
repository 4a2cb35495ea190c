"""Local games as text: plain, aligned, and coloured only on a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from dominobot.local import BANK_S, MOVE_LIMIT_S, GameRecord
from dominobot.session import Session, Tally


def heading(session: Session) -> str:
    """What is played, in one line, with the seed that repeats it."""
    variant = session.variant
    goal = "single rounds" if variant.target is None else f"to {variant.target}"
    count = f"{session.games} games"
    spread = f"{_plural(session.deals, 'deal')}, each from every seat"
    if len(session.players) > variant.seats:
        spread += " at every table"
    what = click.style(f"{variant.name}, {variant.seats} seats, {goal}", bold=True)
    return f"{what}: {count} ({spread}), seed {session.seed}"


def games_heading(session: Session) -> str:
    """The heads of the columns of ``game_line``."""
    seats, points = _game_widths(session)
    return click.style(
        f"{'game':>5}  {'seats 0, 1, ...':<{seats}}  {'points':<{points}}  rounds  result", dim=True
    )


def game_line(session: Session, record: GameRecord) -> str:
    """One game: its seats, points and rounds, who won and why."""
    seats, points = _game_widths(session)
    names = " ".join(session.names[player] for player in record.seating)
    totals = " ".join(f"{total:>3}" for total in record.totals)
    result = _result(session, record)
    return f"{record.number:>5}  {names:<{seats}}  {totals:<{points}}  {record.rounds:>6}  {result}"


def summary(session: Session) -> str:
    """The score of every bot, best first, then what went wrong."""
    tallies = session.tallies()
    order = sorted(range(len(tallies)), key=lambda player: -tallies[player].share)
    rows = [_heads(session), *(_row(session, tallies[player], player) for player in order)]
    parts = [_aligned(rows)]
    parts += [_faults(each) for each in tallies if each.faults]
    parts += filter(None, (_slowness(session, player) for player in order))
    return "\n\n".join(parts)


def as_json(session: Session) -> dict[str, Any]:
    """Everything, for a program."""
    return {
        "variant": session.variant.to_dict(),
        "seed": session.seed,
        "deals": session.deals,
        "bots": [_bot_json(session, each, player) for player, each in enumerate(session.tallies())],
        "games": [_game_json(session, record) for record in session.records],
    }


def _heads(session: Session) -> tuple[str, ...]:
    even = f"wins (even {100 / session.variant.seats:.0f})"
    return ("bot", "games", "won", "drawn", "lost", even, "points/game", "slowest", "over 1 s")


def _row(session: Session, each: Tally, player: int) -> tuple[str, ...]:
    pace = session.paces[player]
    margin = "" if each.margin is None else f" ± {100 * each.margin:4.1f}"
    return (
        each.name,
        str(each.games),
        str(each.won),
        str(each.drawn),
        str(each.lost),
        f"{100 * each.share:.1f}{margin} %",
        f"{each.points_per_game:.1f}",
        _seconds(pace.slowest_s),
        str(pace.slow or "-"),
    )


def _aligned(rows: Sequence[Sequence[str]]) -> str:
    """Columns: the first to the left, numbers to the right; the first row is the head."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        lines.append("  ".join(cells).rstrip())
    lines[0] = click.style(lines[0], dim=True)
    return "\n".join(lines)


def _result(session: Session, record: GameRecord) -> str:
    winner = None if record.winner is None else session.names[record.seating[record.winner]]
    if record.fault is not None:
        loser = session.names[record.seating[record.fault.seat]]
        why = click.style(f"{loser} {_VERBS[record.fault.termination]}", fg="red")
        who = "the others tie" if winner is None else f"{click.style(winner, fg='green')} won"
        return f"{who}, {why} {record.fault.reason}"
    if winner is None:
        why = "after the last round allowed" if record.termination == "ROUND_CAP" else "round tied"
        return f"drawn, {why}"
    target = session.variant.target
    why = "won the round" if target is None else f"reached {target}"
    return f"{click.style(winner, fg='green')} {why}"


_VERBS = {"CRASH": "crashed:", "ILLEGAL_MOVE": "played illegally:"}


def _faults(each: Tally) -> str:
    """How often and why a bot lost by its own fault, with its first traceback."""
    head = f"{each.name} lost {_plural(each.lost_by_fault, 'game')} by its own fault"
    lines = [click.style(head, fg="red", bold=True)]
    kinds = each.fault_kinds()
    width = max(len(termination) for _, termination, _ in kinds)
    lines += [f"  {count:>3} × {word:<{width}}  {reason}" for count, word, reason in kinds]
    trace = next((fault.trace for fault in each.faults if fault.trace), "")
    if trace:
        lines += ["  the first traceback:", *(f"    {line}" for line in trace.splitlines())]
    return "\n".join(lines)


def _slowness(session: Session, player: int) -> str:
    pace = session.paces[player]
    if not pace.slow:
        return ""
    return click.style(
        f"{session.names[player]}: {_plural(pace.slow, 'call')} took over {MOVE_LIMIT_S:g} s. "
        f"In an arena the excess comes off a bank of {BANK_S:g} s a game; then the game is lost.",
        fg="yellow",
    )


def _bot_json(session: Session, each: Tally, player: int) -> dict[str, Any]:
    pace = session.paces[player]
    return {
        "name": each.name,
        "games": each.games,
        "won": each.won,
        "drawn": each.drawn,
        "lost": each.lost,
        "share": round(each.share, 6),
        "share_margin_95": None if each.margin is None else round(each.margin, 6),
        "points": each.points,
        "faults": [
            {"count": count, "termination": termination, "reason": reason}
            for count, termination, reason in each.fault_kinds()
        ],
        "decisions": pace.decisions,
        "think_s": round(pace.total_s, 6),
        "slowest_s": round(pace.slowest_s, 6),
        "over_limit": pace.slow,
    }


def _game_json(session: Session, record: GameRecord) -> dict[str, Any]:
    fault = record.fault
    return {
        "game": record.number,
        "deal": record.deal,
        "seats": [session.names[player] for player in record.seating],
        "termination": record.termination,
        "ranks": record.ranks,
        "totals": record.totals,
        "rounds": record.rounds,
        "faulty_seat": None if fault is None else fault.seat,
        "reason": None if fault is None else fault.reason,
    }


def _game_widths(session: Session) -> tuple[int, int]:
    lengths = sorted(map(len, session.names), reverse=True)[: session.variant.seats]
    return max(sum(lengths) + len(lengths) - 1, 15), max(4 * session.variant.seats - 1, 6)


def _seconds(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 0.1 else f"{1000 * seconds:.1f} ms"


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"

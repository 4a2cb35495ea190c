"""What ended a match, in plain words, with everything its bot's author needs to mend it."""

from __future__ import annotations

import signal
from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from arena.cli.words import clean, ending
from arena.core.record import Evidence
from arena.core.referee import Phase
from arena.store import StoredMatch

_LOG_LINES = 20
_LOG_WIDTH = 400
_CLOCK_LINES = 5
_PHASES = {
    Phase.CONNECT.value: "while it was to connect",
    Phase.START.value: "at the start of the match",
    Phase.MOVE.value: "when it was its turn",
    Phase.END.value: "at the end of the match",
    Phase.LOST.value: "after its faults in this series",
}


def render_ending(stored: StoredMatch) -> RenderableType:
    """The verdict, what each seat used, and the evidence if there is any."""
    assert stored.verdict is not None
    parts: list[RenderableType] = [
        Text(),
        Rule(Text("How it ended", style="bold"), align="left", style="dim"),
        Text(f"  {ending(stored.verdict, [clean(bot) for bot in stored.bots])}", style="bold"),
    ]
    if stored.evidence is not None:
        seat = stored.evidence.seat
        parts += _evidence(
            stored.evidence, "the arena" if seat is None else clean(stored.bots[seat])
        )
    parts.append(_table(stored))
    return Group(*parts)


def _table(stored: StoredMatch) -> Table:
    assert stored.verdict is not None
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for header in ("", "rank", "points", "decisions", "thought", "slowest", "unasked"):
        table.add_column(header, justify="right" if header else "left")
    for seat, bot in enumerate(stored.bots):
        used = stored.usage[seat] if seat < len(stored.usage) else None
        table.add_row(
            Text(f"  {clean(bot)}"),
            str(stored.verdict.ranks[seat]),
            str(stored.verdict.scores[seat]),
            *(
                ("–", "–", "–", "–")
                if used is None
                else (
                    str(used.decisions),
                    _milliseconds(used.think_ms),
                    _milliseconds(used.slowest_ms),
                    str(used.unasked),
                )
            ),
        )
    return table


def _evidence(evidence: Evidence, who: str) -> Iterator[RenderableType]:
    phase = _PHASES.get(evidence.phase, clean(evidence.phase, 40))
    where = f"{who}, {phase}" if phase else who
    yield Text(f"  {where}: {clean(evidence.detail, 500)}")
    facts = [*_exit(evidence), *_counters(evidence)]
    if facts:
        yield Text(f"  {' · '.join(facts)}")
    if evidence.clock:
        last = evidence.clock[-_CLOCK_LINES:]
        trace = ", ".join(
            f"decision {number}: {seconds * 1000:.1f} ms (bank {bank:.2f} s left)"
            for number, seconds, bank in last
        )
        yield Text(f"  its clock: {trace}")
    if evidence.log:
        cut = len(evidence.log) - _LOG_LINES
        yield Text("  the last it printed" + (f" ({cut} lines before)" if cut > 0 else "") + ":")
        lines = [clean(line, _LOG_WIDTH) for line in evidence.log[-_LOG_LINES:]]
        yield Padding(Text("\n".join(lines), style="dim"), (0, 0, 0, 4))
    yield Text()


def _exit(evidence: Evidence) -> Iterator[str]:
    if evidence.exit_code is not None:
        yield f"exit code {evidence.exit_code}"
    if evidence.signal is not None:
        yield f"ended by signal {evidence.signal} ({_signal_name(evidence.signal)})"


def _counters(evidence: Evidence) -> Iterator[str]:
    for name, value in sorted(evidence.counters.items()):
        if not value:
            continue
        shown = clean(name.replace("_", " "), 40)
        if name.endswith("_bytes"):
            yield f"{shown.removesuffix(' bytes')} {value / 1024**2:.1f} MiB"
        elif name.endswith("_s"):
            yield f"{shown.removesuffix(' s')} {value:.2f} s"
        else:
            yield f"{shown} {value:g}"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unknown"


def _milliseconds(value: float) -> str:
    return f"{value / 1000:.2f} s" if value >= 1000 else f"{value:.1f} ms"

"""arena doctor: try what this machine's sandbox can do, and say how to mend it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from arena.cli.options import console, json_option, print_json

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from arena.sandbox.probe import Finding, Report

BELOW = 2
"""Exit code when the level is below the required one."""

_MARKS = {"ok": ("✔", "green"), "warn": ("!", "yellow"), "fail": ("✘", "bold red")}
_PLAIN_MARKS = {"ok": "+", "warn": "!", "fail": "x"}
_AREAS = {
    "host": "this machine",
    "isolation": "what a seat sees and may do",
    "limits": "what a seat may use",
}
_VERDICTS = {
    "full": ("bold green", "strangers' bots can play here and be rated"),
    "practice": ("bold yellow", "for bots you trust: a bot can use up memory and processes here"),
    "none": ("bold red", "arena run will refuse; --sandbox=plain plays your own bots without any"),
}


@click.command()
@click.option(
    "--require",
    type=click.Choice(["full", "practice"]),
    help=f"Exit with code {BELOW} if the level is below this one.",
)
@json_option
def command(require: str | None, as_json: bool) -> None:
    """Try what this machine's sandbox can do, and say how to mend it.

    Every line is tried with real processes, in about two seconds; nothing is left behind.
    """
    from arena.sandbox.base import Level
    from arena.sandbox.probe import examine

    screen = console()
    if as_json:
        report = examine(is_complete=True)
    else:
        with screen.status("starting seats and trying to break out of them"):
            report = examine(is_complete=True)
    is_met = require is None or (
        report.level is not None and report.level.is_at_least(Level(require))
    )
    if as_json:
        print_json({**report.to_dict(), "required": require, "is_met": is_met})
    else:
        screen.print(render_report(report, screen))
        if not is_met:
            screen.print(f"[bold red]Level {require} is required, and this is not it.[/]\n")
    if not is_met:
        sys.exit(BELOW)


def render_report(report: Report, screen: Console) -> RenderableType:
    """The findings by area, the level, and what to mend."""
    from rich.console import Group
    from rich.text import Text

    level = "none" if report.level is None else report.level.value
    style, meaning = _VERDICTS[level]
    parts: list[RenderableType] = [
        Text(),
        Text.assemble("  Sandbox level: ", (level, style), f"   {meaning}"),
        Text(),
    ]
    for area, title in _AREAS.items():
        found = [finding for finding in report.findings if finding.area == area]
        if found:
            parts += [_table(title, found, screen), Text()]
    return Group(*parts, *_mending(report))


def _table(title: str, findings: list[Finding], screen: Console) -> RenderableType:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, show_header=False, padding=(0, 1), title_justify="left")
    table.title = Text(f"  {title}", style="bold")
    table.add_column(width=3, justify="right")
    table.add_column(min_width=18, no_wrap=True)
    table.add_column(overflow="fold")
    is_fancy = (screen.encoding or "").lower().startswith("utf")
    for finding in findings:
        mark, style = _MARKS[finding.state]
        words = Text(finding.detail, style="" if finding.state == "ok" else style)
        table.add_row(
            Text(mark if is_fancy else _PLAIN_MARKS[finding.state], style=style),
            finding.name,
            words,
        )
    return table


def _mending(report: Report) -> list[RenderableType]:
    """What is not as it should be, the failures first, each with the way out."""
    from rich.padding import Padding
    from rich.text import Text

    order = {"fail": 0, "warn": 1}
    lines: list[RenderableType] = []
    bad = [finding for finding in report.findings if finding.state in order]
    bad.sort(key=lambda finding: order[finding.state])
    # One cause may fail several lines; it is mended once.
    seen: set[str] = set()
    for finding in bad:
        if finding.detail in seen:
            continue
        seen.add(finding.detail)
        _, style = _MARKS[finding.state]
        text = Text.assemble((f"{finding.name}: ", style), finding.detail)
        if finding.mend:
            text.append(f"\n  -> {finding.mend}")
        lines.append(Padding(text, (0, 2)))
    if not lines:
        return []
    return [Text("  what to mend", style="bold"), *lines, Text()]

"""Figures as a table for people and as bench.json for programs."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

_PACKAGES = ("grpcio", "protobuf", "uvloop")


class Figure(NamedTuple):
    """One measured number: the median of ``values``.

    ``key`` names it in bench.json, ``beside`` puts it in proportion to another number, ``goal``
    is what it should reach.
    """

    key: str
    what: str
    unit: str
    values: Sequence[float]
    beside: str = ""
    goal: str = ""

    @property
    def value(self) -> float:
        """The median."""
        return median(self.values)


class Section(NamedTuple):
    """Figures that belong together."""

    title: str
    figures: list[Figure]


def show(sections: Sequence[Section], console: Console) -> None:
    """Print them: the median, and the least and the most of the rounds."""
    console.print(_host())
    for section in sections:
        table = Table(box=None, pad_edge=False)
        table.add_column(section.title, width=44, no_wrap=True)
        for name in ("median", "least", "most"):
            table.add_column(name, justify="right", width=8)
        table.add_column("", width=13)
        table.add_column("in proportion", width=34)
        table.add_column("goal", width=19)
        for figure in section.figures:
            numbers = [_text(n) for n in (figure.value, min(figure.values), max(figure.values))]
            table.add_row(figure.what, *numbers, figure.unit, figure.beside, figure.goal)
        console.print(table, "")


def save(sections: Sequence[Section], path: Path, settings: dict[str, Any]) -> None:
    """Write bench.json: settings, host, and every figure with its single values."""
    figures = {
        figure.key: {
            "what": f"{section.title}: {figure.what}",
            "unit": figure.unit,
            "median": round(figure.value, 4),
            "values": [round(value, 4) for value in figure.values],
        }
        for section in sections
        for figure in section.figures
    }
    document = {"host": _host(), "settings": settings, "figures": figures}
    path.write_text(json.dumps(document, indent=1) + "\n", "utf-8")


def _host() -> str:
    packages = [f"{name} {found}" for name in _PACKAGES if (found := _version(name))]
    load = os.getloadavg()[0]
    return (
        f"Python {platform.python_version()}, {', '.join(packages)}; "
        f"{os.cpu_count()} cores, load {load:.1f}"
    )


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _text(number: float) -> str:
    if number >= 1000:
        return f"{number:,.0f}"
    return f"{number:.0f}" if number >= 100 else f"{number:.3g}"

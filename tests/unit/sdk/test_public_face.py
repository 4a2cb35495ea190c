"""``import dominobot``: what it gives, and what it does not drag in."""

from __future__ import annotations

import tomllib
from pathlib import Path

import dominobot
import dominobot.rules

ROOT = Path(__file__).parents[3]


def test_the_public_names_are_sorted_and_there() -> None:
    names = dominobot.__all__
    # Capitals, then classes, then the rest: the order that ruff keeps.
    assert names == sorted(
        names, key=lambda name: (not name.isupper(), not name[0].isupper(), name)
    )
    assert all(hasattr(dominobot, name) for name in names)
    assert {"Bot", "End", "Play", "Tile", "Variant", "View", "run"} <= set(names)


def test_the_version_is_that_of_the_distribution() -> None:
    project = tomllib.loads((ROOT / "sdk/pyproject.toml").read_text())["project"]
    assert dominobot.__version__ == project["version"]

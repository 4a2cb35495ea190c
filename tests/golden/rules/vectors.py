"""Read the rule vectors: named corner cases and whole matches, one JSON object a line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dominobot.rules import Play, Tile, Variant
from dominobot.rules.notation import parse_tiles

FOLDER = Path(__file__).parent


def lines(kind: str) -> list[dict[str, Any]]:
    """All vectors of one kind: match, deal, score, set or reduce."""
    texts = [
        line
        for name in ("corners.jsonl", "matches.jsonl")
        for line in (FOLDER / name).read_text().splitlines()
    ]
    return [vector for vector in map(json.loads, texts) if vector["kind"] == kind]


def named(kind: str) -> dict[str, dict[str, Any]]:
    """The vectors of one kind by name."""
    return {vector["name"]: vector for vector in lines(kind)}


def variant_of(vector: dict[str, Any]) -> Variant:
    """The variant that a vector is played by."""
    options = dict(vector.get("options", {}))
    if "deal" in options:
        options["deal"] = options["deal"][str(vector["seats"])]
    return Variant.preset(vector["ruleset"], seats=vector["seats"], **options)


def tiles(texts: list[str]) -> tuple[Tile, ...]:
    """Tiles from their texts."""
    return parse_tiles(" ".join(texts))


def decks_of(vector: dict[str, Any]) -> list[tuple[Tile, ...]]:
    """The decks of a match, round by round."""
    return [tiles(entry["deck"]) for entry in vector["rounds"]]


def plays_of(vector: dict[str, Any]) -> list[Play]:
    """Every placement of a match in order, passes left out."""
    return [
        Play.parse(turn["move"])
        for entry in vector["rounds"]
        for turn in entry["turns"]
        if turn["move"] != "pass"
    ]

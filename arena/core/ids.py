"""Names of things, derived and never counted: the same tournament gives the same ids anywhere.

Every id hashes its own domain word and length-prefixed fields, so no two different inputs can be
read as one, and nothing depends on the order in which workers or restarts come by.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

NAMESPACE = uuid.uuid5(uuid.NAMESPACE_DNS, "domino-arena")
"""The uuid5 namespace of all ids; changing it changes every match id there is."""


def fields_hash(domain: str, *fields: bytes | str | int) -> bytes:
    """SHA-256 (32 bytes) over a domain word and fields, each prefixed with its kind and length."""
    hasher = hashlib.sha256()
    for field in (domain, *fields):
        kind, data = _as_bytes(field)
        hasher.update(kind + len(data).to_bytes(4, "big") + data)
    return hasher.digest()


def canonical_json(value: Mapping[str, Any]) -> str:
    """JSON text with sorted keys and no spaces: equal values give equal text."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def identity_id(identity: Mapping[str, Any]) -> str:
    """The id of a tournament's identity (``Tournament.identity``), 64 hex digits."""
    return fields_hash("tournament identity", canonical_json(identity)).hex()


def unit_id(tournament_id: str, cycle: int, deal: int, table: Sequence[str]) -> str:
    """The id of one unit: one deal at one table, played by all rotations. A uuid5."""
    return _uuid("unit", tournament_id, cycle, deal, *table)


def match_id(tournament_id: str, cycle: int, deal: int, table: Sequence[str], rotation: int) -> str:
    """The id of one match: one rotation of a unit. A uuid5; ``table`` are the bots' names."""
    return _uuid("match", tournament_id, cycle, deal, rotation, *table)


def series_id(tournament_id: str, cycle: int, table: Sequence[str], rotation: int) -> str:
    """The id of one series: all deals of one table in one rotation. A uuid5."""
    return _uuid("series", tournament_id, cycle, rotation, *table)


def _uuid(domain: str, *fields: str | int) -> str:
    return str(uuid.uuid5(NAMESPACE, fields_hash(domain, *fields).hex()))


def _as_bytes(field: bytes | str | int) -> tuple[bytes, bytes]:
    if isinstance(field, bytes):
        return b"b", field
    if isinstance(field, str):
        return b"s", field.encode()
    return b"i", str(field).encode()

"""Seeds by name and the shuffle, written out so that any language can check a deal.

**Names to seeds.** Every seed is ``SHA-256(field 1, field 2, ...)`` where a field is written as its
length in bytes (4 bytes, big-endian) followed by the bytes themselves; numbers are fields of 8
bytes, big-endian, and texts are UTF-8. The first field says what the seed is for, so that seeds of
different kinds can never meet:

    deal_seed   "dominobot/deal/1",  master, tournament, cycle, deal       all 32 bytes
    round seed  "dominobot/round/1", deal_seed, round number from 1        all 32 bytes
    bot_seed    "dominobot/bot/1",   master, match id, seat                first 8 bytes, big-endian

**The shuffle.** The stream of a seed is the bytes of ``SHA-256(seed, counter)`` for counter 0, 1,
2, ..., where the counter is 4 bytes, big-endian, put behind the seed's bytes as they are. Start
with the 28 tiles in ascending order (00, 01, ..., 06, 11, ..., 66) at places 0 to 27. For n = 28,
27, ..., 2: take bytes off the stream until one is smaller than the largest multiple of n that is
not above 256, let j be that byte modulo n, and swap the tiles at places j and n - 1. The result is
the deck in deal order (A2).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from dominobot.rules.tiles import ALL_TILES, Tile

_sha256 = hashlib.sha256
_PLACES = tuple((n, 256 - 256 % n) for n in range(len(ALL_TILES), 1, -1))


def shuffled_deck(seed: bytes) -> tuple[Tile, ...]:
    """The 28 tiles in the order that ``seed`` (any bytes) gives them; see the module's text."""
    deck = list(ALL_TILES)
    stream = _stream(seed)
    for n, limit in _PLACES:
        byte = next(stream)
        while byte >= limit:
            byte = next(stream)
        j = byte % n
        deck[j], deck[n - 1] = deck[n - 1], deck[j]
    return tuple(deck)


def _stream(seed: bytes) -> Iterator[int]:
    counter = 0
    while True:
        yield from _sha256(seed + counter.to_bytes(4, "big")).digest()
        counter += 1


def round_deck(deal_seed: bytes, round_no: int) -> tuple[Tile, ...]:
    """The deck of round ``round_no`` (from 1) of the deal that ``deal_seed`` names."""
    return shuffled_deck(_hash("dominobot/round/1", deal_seed, round_no))


def deal_seed(master: bytes, tournament: str, cycle: int, deal: int) -> bytes:
    """The seed (32 bytes) of one deal: the same for every table that plays it."""
    return _hash("dominobot/deal/1", master, tournament, cycle, deal)


def bot_seed(master: bytes, match_id: str, seat: int) -> int:
    """The 64-bit seed that a bot gets for its own chance; it says nothing about the deals."""
    return int.from_bytes(_hash("dominobot/bot/1", master, match_id, seat)[:8], "big")


def commitment(secret: bytes, master: bytes) -> str:
    """What is published before the first game: SHA-256 of secret and master seed, hexadecimal.

    ``secret`` is 32 random bytes. Both are shown at the end, so that anybody can recompute it.
    """
    return _sha256(secret + master).hexdigest()


def _hash(purpose: str, *fields: bytes | str | int) -> bytes:
    return _sha256(b"".join(map(_field, (purpose, *fields)))).digest()


def _field(value: bytes | str | int) -> bytes:
    if isinstance(value, int):
        value = value.to_bytes(8, "big")
    elif isinstance(value, str):
        value = value.encode()
    return len(value).to_bytes(4, "big") + value

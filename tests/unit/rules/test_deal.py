from __future__ import annotations

import hashlib
from collections import Counter

from dominobot.rules import (
    ALL_TILES,
    bot_seed,
    commitment,
    deal_seed,
    round_deck,
    shuffled_deck,
)
from dominobot.rules.notation import tiles_text

MASTER = bytes(range(32))


def as_the_text_says(seed: bytes) -> list[str]:
    """The shuffle once more, from its description alone."""
    tiles = [f"{low}{high}" for low in range(7) for high in range(low, 7)]
    stream: list[int] = []
    for counter in range(20):
        stream += hashlib.sha256(seed + counter.to_bytes(4, "big")).digest()
    for n in range(28, 1, -1):
        largest_multiple = max(m for m in range(257) if m % n == 0)
        while stream[0] >= largest_multiple:
            stream.pop(0)
        j = stream.pop(0) % n
        tiles[j], tiles[n - 1] = tiles[n - 1], tiles[j]
    return tiles


def test_the_shuffle_is_the_one_that_is_written_down() -> None:
    for number in range(200):
        seed = number.to_bytes(2, "big")
        assert list(map(str, shuffled_deck(seed))) == as_the_text_says(seed)


def test_decks_of_known_seeds_never_change() -> None:
    assert tiles_text(shuffled_deck(b"")) == SHUFFLED_EMPTY
    assert tiles_text(round_deck(bytes(32), 1)) == FIRST_OF_ZEROS


def test_seeds_of_known_names_never_change() -> None:
    assert deal_seed(MASTER, "spring cup", 1, 7).hex() == DEAL_SEED
    assert bot_seed(MASTER, "match", 1) == BOT_SEED
    assert commitment(b"s" * 32, MASTER) == hashlib.sha256(b"s" * 32 + MASTER).hexdigest()


def test_a_deal_seed_is_the_hash_of_fields_with_their_lengths() -> None:
    fields = [b"dominobot/deal/1", MASTER, "coupe d'été".encode(), bytes(7) + b"\x02", bytes(8)]
    text = b"".join(len(field).to_bytes(4, "big") + field for field in fields)
    assert deal_seed(MASTER, "coupe d'été", 2, 0) == hashlib.sha256(text).digest()


def test_every_name_gives_another_seed() -> None:
    seeds = {
        deal_seed(master, tournament, cycle, deal)
        for master in (MASTER, b"", b"x")
        for tournament in ("a", "b", "")
        for cycle in (0, 1)
        for deal in (0, 1)
    }
    assert len(seeds) == 36
    assert len({bot_seed(MASTER, "m", seat) for seat in range(4)}) == 4
    assert all(0 <= bot_seed(MASTER, str(number), 0) < 2**64 for number in range(50))


def test_a_round_is_shuffled_by_the_hash_of_deal_and_number() -> None:
    fields = [b"dominobot/round/1", MASTER, bytes(7) + b"\x03"]
    text = b"".join(len(field).to_bytes(4, "big") + field for field in fields)
    assert list(map(str, round_deck(MASTER, 3))) == as_the_text_says(hashlib.sha256(text).digest())


def test_every_round_of_a_deal_has_its_own_deck() -> None:
    decks = {round_deck(MASTER, round_no) for round_no in range(1, 50)}
    assert len(decks) == 49
    assert all(sorted(deck) == list(ALL_TILES) for deck in decks)


def test_every_tile_comes_to_every_place_about_equally_often() -> None:
    decks = [shuffled_deck(number.to_bytes(4, "big")) for number in range(2800)]
    for place in (0, 1, 13, 26, 27):
        counts = Counter(deck[place] for deck in decks)
        assert len(counts) == 28
        chi_squared = sum((count - 100) ** 2 / 100 for count in counts.values())
        assert chi_squared < 60  # 27 degrees of freedom: above this once in 4,000


SHUFFLED_EMPTY = (
    "22 36 16 14 00 23 25 46 24 44 35 06 26 05 01 55 33 11 15 45 56 03 12 04 02 34 13 66"
)
FIRST_OF_ZEROS = (
    "44 34 26 25 13 12 02 01 45 36 56 14 33 55 06 23 66 35 00 05 24 16 22 03 11 15 04 46"
)
DEAL_SEED = "c30045659fa8caf95dc21395892850706c0deb068aacea2774f991d8609486e2"
BOT_SEED = 15_196_389_183_846_418_066

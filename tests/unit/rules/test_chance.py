from __future__ import annotations

from collections import Counter

from dominobot.rules import Chance


def test_the_numbers_of_a_seed_never_change() -> None:
    chance = Chance(0)
    # the first numbers of SplitMix64 from seed 0, as published with the algorithm
    assert [chance.refill() for _ in range(3)] == [
        0xE220A8397B1DCDAF,
        0x6E789E6AA1B965F4,
        0x06C45D188009454F,
    ]


def test_choices_use_up_the_pool_and_then_the_next_number() -> None:
    chance = Chance(0)
    first = 0xE220A8397B1DCDAF
    assert chance.below(10) == first % 10
    assert chance.below(7) == first // 10 % 7
    chance.pool = 2**32 - 1
    assert chance.below(5) == 0x6E789E6AA1B965F4 % 5


def test_a_seed_may_be_any_number() -> None:
    assert Chance(2**64 + 5).refill() == Chance(5).refill()
    assert Chance(-1).refill() == Chance(2**64 - 1).refill()


def test_every_choice_is_about_as_likely_as_the_others() -> None:
    chance = Chance(1)
    counts = Counter(chance.below(7) for _ in range(7000))
    assert all(900 < counts[number] < 1100 for number in range(7))


def test_a_shuffle_keeps_the_items_and_moves_them_evenly() -> None:
    chance = Chance(2)
    firsts: Counter[int] = Counter()
    for _ in range(4000):
        items = list(range(4))
        chance.shuffle(items)
        assert sorted(items) == [0, 1, 2, 3]
        firsts[items[0] * 4 + items[3]] += 1
    assert len(firsts) == 12
    assert all(250 < count < 420 for count in firsts.values())

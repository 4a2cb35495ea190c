from __future__ import annotations

from typing import Any

import pytest
from dominobot.rules import PRESETS, Variant, VariantError


@pytest.mark.parametrize(
    ("name", "deals", "boneyards"),
    [
        ("famille", (7, 5, 5), (14, 13, 8)),  # F6
        ("coffret", (7, 6, 6), (14, 10, 4)),  # C4, C5
        ("kawu", (7, 5, 5), (14, 13, 8)),  # K4
        ("block", (7, 6, 6), (14, 10, 4)),  # B1, A22
    ],
)
def test_presets_deal_what_the_pages_say(
    name: str, deals: tuple[int, ...], boneyards: tuple[int, ...]
) -> None:
    variants = [Variant.preset(name, seats=seats) for seats in (2, 3, 4)]
    assert tuple(variant.deal for variant in variants) == deals
    assert tuple(variant.boneyard for variant in variants) == boneyards


def test_presets_differ_as_the_table_at_a_glance_says() -> None:
    rules = {name: Variant.preset(name) for name in PRESETS}
    assert {name: v.draw for name, v in rules.items()} == {
        "famille": "until",
        "coffret": "one",
        "kawu": "until",
        "block": "none",
    }
    assert {name: v.reopen for name, v in rules.items()} == {
        "famille": "winner",
        "coffret": "double",
        "kawu": "winner",
        "block": "double",
    }
    for variant in rules.values():
        assert (variant.target, variant.reserve, variant.count) == (100, 0, "others")
        assert (variant.tie, variant.round_cap) == ("nobody", 1000)


def test_options_replace_what_the_preset_says() -> None:
    variant = Variant.preset("kawu", seats=3, target=150, deal=6, reserve=2, tie="carried")
    assert (variant.name, variant.seats, variant.target) == ("kawu", 3, 150)
    assert (variant.deal, variant.reserve, variant.tie) == (6, 2, "carried")
    assert Variant.preset("block", seats=4, deal=7).boneyard == 0
    assert Variant.preset("famille", target=None).target is None
    assert variant.with_options(target=None, reserve=0).target is None


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"name": "muggins"}, ["'muggins'", "famille, coffret, kawu, block"]),
        ({"seats": 5}, ["seats", "5", "2, 3, 4"]),
        ({"seats": 1}, ["seats", "1", "2, 3, 4"]),
        ({"seats": True}, ["seats", "True"]),
        ({"seats": 2.0}, ["seats", "2.0"]),
        ({"name": ["famille"]}, ["['famille']", "famille, coffret"]),
        ({"deal": "7"}, ["deal", "'7'"]),
        ({"draw": ["one"]}, ["draw", "['one']"]),
        ({"spinner": True}, ["'spinner'", "deal, reopen, draw, reserve, target, count, tie"]),
        ({"reopen": "loser"}, ["reopen", "'loser'", "winner, double"]),
        ({"draw": "two"}, ["draw", "'two'", "until, one, none"]),
        ({"count": "fives"}, ["count", "'fives'", "others, difference"]),
        ({"tie": "both"}, ["tie", "'both'", "nobody, carried"]),
        ({"deal": 15}, ["deal", "15", "1 to 14", "2 seats"]),
        ({"deal": 8, "seats": 4}, ["deal", "8", "1 to 7", "4 seats"]),  # mistakes 16, 22
        ({"deal": 0}, ["deal", "0"]),
        ({"deal": 7.0}, ["deal", "7.0"]),
        ({"reserve": 15}, ["reserve", "15", "0 to 14"]),
        ({"reserve": -1}, ["reserve", "-1"]),
        ({"target": 0}, ["target", "0", "1 or more", "none"]),
        ({"target": "100"}, ["target", "'100'"]),
        ({"round_cap": 0}, ["round_cap", "0", "1 or more"]),
    ],
)
def test_an_impossible_option_is_named_with_what_is_allowed(
    options: dict[str, Any], words: list[str]
) -> None:
    with pytest.raises(VariantError) as caught:
        Variant.preset(**{"name": "famille", **options})
    for word in words:
        assert word in str(caught.value)


def test_the_json_form_says_every_option_and_reads_back() -> None:
    variant = Variant.preset("coffret", seats=4, target=None, reserve=1)
    data = variant.to_dict()
    assert data == {
        "name": "coffret",
        "seats": 4,
        "deal": 6,
        "reopen": "double",
        "draw": "one",
        "reserve": 1,
        "target": None,
        "count": "others",
        "tie": "nobody",
        "round_cap": 1000,
    }
    assert Variant.from_dict(data) == variant


def test_a_json_form_with_a_missing_or_unknown_option_is_refused() -> None:
    data = Variant.preset("famille").to_dict()
    with pytest.raises(VariantError, match="option draw is missing"):
        Variant.from_dict({key: value for key, value in data.items() if key != "draw"})
    with pytest.raises(VariantError, match="no option 'top'"):
        Variant.from_dict({**data, "top": 9})
    with pytest.raises(VariantError, match="option name"):
        Variant.from_dict({**data, "name": ""})


def test_variants_are_values() -> None:
    assert Variant.preset("famille") == Variant.preset("famille")
    assert len({Variant.preset("famille"), Variant.preset("famille")}) == 1
    assert Variant.preset("famille") != Variant.preset("kawu")

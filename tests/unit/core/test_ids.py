"""Ids are derived from names and cannot be confused."""

from __future__ import annotations

from arena.core.ids import canonical_json, fields_hash, identity_id, match_id, series_id, unit_id


def test_fields_cannot_be_read_as_other_fields() -> None:
    hashes = {
        fields_hash("d", "ab", "c"),
        fields_hash("d", "a", "bc"),
        fields_hash("d", "abc"),
        fields_hash("d", b"abc"),
        fields_hash("da", "bc"),
        fields_hash("d", 1),
        fields_hash("d", "1"),
        fields_hash("d"),
    }
    assert len(hashes) == 8


def test_every_part_of_a_match_is_in_its_id() -> None:
    base = ("t", 0, 1, ("a", "b"), 0)
    others = [
        ("u", 0, 1, ("a", "b"), 0),
        ("t", 1, 0, ("a", "b"), 0),
        ("t", 0, 2, ("a", "b"), 0),
        ("t", 0, 1, ("a", "c"), 0),
        ("t", 0, 1, ("a", "b"), 1),
    ]
    assert match_id(*base) == match_id(*base)
    assert len({match_id(*one) for one in (base, *others)}) == 6


def test_a_match_a_unit_and_a_series_never_share_an_id() -> None:
    assert len({match_id("t", 0, 0, ("a",), 0), unit_id("t", 0, 0, ("a",))}) == 2
    assert series_id("t", 0, ("a",), 0) not in (unit_id("t", 0, 0, ("a",)),)


def test_ids_stay_what_they_are() -> None:
    """A change here would make every stored tournament another one."""
    assert identity_id({"b": 1, "a": [2]}) == identity_id({"a": [2], "b": 1})
    assert canonical_json({"b": 1, "a": [2]}) == '{"a":[2],"b":1}'
    assert match_id("t", 0, 0, ("a", "b"), 0) == "07e5a9d7-f6e8-5490-a01a-844583928e0e"
    assert identity_id({"a": 1}).startswith("0b6ab51697b5155f")

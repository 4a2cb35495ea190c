from __future__ import annotations

import pytest
from dominobot.rules import ALL_TILES, RulesError, Tile, mask_of, pips_of, reduce_box, tiles_of


def test_the_set_has_28_different_tiles_and_168_pips() -> None:  # F1; mistake 1
    assert len(set(ALL_TILES)) == len(ALL_TILES) == 28
    assert sum(tile.pips for tile in ALL_TILES) == 168
    assert sum(tile.is_double for tile in ALL_TILES) == 7
    assert all(sum(tile.has(value) for tile in ALL_TILES) == 7 for value in range(7))


def test_tiles_are_numbered_in_the_order_00_01_to_66() -> None:
    assert [str(tile) for tile in ALL_TILES[:8]] == ["00", "01", "02", "03", "04", "05", "06", "11"]
    assert [tile.index for tile in ALL_TILES] == list(range(28))
    assert str(ALL_TILES[27]) == "66"


def test_two_five_and_five_two_are_one_tile() -> None:
    assert Tile.parse("52") == Tile.parse("25") == Tile.of(5, 2) == Tile.of(2, 5) == Tile(2, 5)


def test_a_tile_knows_its_halves() -> None:
    tile = Tile.parse("25")
    assert (tile.pips, tile.is_double) == (7, False)
    assert tile.has(2)
    assert not tile.has(3)
    assert (tile.other(2), tile.other(5)) == (5, 2)
    assert Tile(4, 4).other(4) == 4
    with pytest.raises(RulesError, match="25 has no half 3"):
        tile.other(3)


@pytest.mark.parametrize("text", ["", "7", "07", "255", "2-5", "ab", "-1", " 25", "²5"])
def test_what_is_no_tile_is_refused(text: str) -> None:
    with pytest.raises(RulesError, match="is no tile"):
        Tile.parse(text)


def test_halves_outside_0_to_6_are_refused() -> None:
    with pytest.raises(RulesError, match="no tile 3-7"):
        Tile.of(3, 7)


def test_a_hand_is_a_mask_and_comes_back_ascending() -> None:
    tiles = [Tile.parse(text) for text in ("66", "00", "25")]
    mask = mask_of(tiles)
    assert mask == 1 << 27 | 1 << 0 | 1 << Tile(2, 5).index
    assert tiles_of(mask) == (Tile(0, 0), Tile(2, 5), Tile(6, 6))
    assert pips_of(mask) == 19
    assert tiles_of(0) == ()
    assert pips_of(0) == 0


def test_the_points_of_a_hand_are_the_sum_of_its_tiles() -> None:  # F4
    for tile in ALL_TILES:
        for other in ALL_TILES:
            if tile != other:
                assert pips_of(tile.mask | other.mask) == tile.pips + other.pips


def test_a_double_nine_box_is_reduced_to_the_double_six_set() -> None:  # F2
    box = [(low, high) for low in range(10) for high in range(low, 10)]
    assert len(box) == 55
    assert reduce_box(box) == ALL_TILES
    assert reduce_box([(high, low) for low, high in box]) == ALL_TILES


def test_a_box_with_a_missing_or_a_second_tile_is_refused() -> None:  # mistake 1
    box = [(tile.low, tile.high) for tile in ALL_TILES]
    with pytest.raises(RulesError, match="exactly one tile of each pair from 0 to 6"):
        reduce_box(box[1:])
    with pytest.raises(RulesError, match="exactly one"):
        reduce_box([*box, (0, 0)])

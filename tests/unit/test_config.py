"""Settings of a run: checked once, said back as a file that says the same."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.config import RunSettings, make_settings, read_tournament_file
from arena.errors import ConfigError

BOTS = {"bots": ("a", "b")}

names = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", fullmatch=True)
words = st.text(st.characters(codec="utf-8"), max_size=20)
times = st.floats(0.001, 3600, allow_nan=False)


@st.composite
def settings(draw: st.DrawFn) -> RunSettings:
    values: dict[str, Any] = {
        "bots": draw(st.lists(words, min_size=1, max_size=4)),
        "name": draw(st.none() | names),
        "variant": draw(st.sampled_from(["famille", "kawu"])),
        "seats": draw(st.integers(2, 4)),
        "target": draw(st.none() | st.just("none") | st.integers(1, 500)),
        "options": draw(
            st.dictionaries(st.sampled_from(["reserve", "draw"]), st.integers(0, 9) | words)
        ),
        "deals": draw(st.integers(1, 1000)),
        "tables": draw(st.none() | st.just("all") | st.integers(1, 50)),
        "move_time": draw(times),
        "bank": draw(times),
        "seed": draw(st.none() | st.integers(-5, 2**40) | words),
        "jobs": draw(st.none() | st.integers(1, 256)),
        "sandbox": draw(st.sampled_from(["bwrap", "plain"])),
    }
    return make_settings(values, "a test")


@given(settings())
def test_what_is_stored_as_a_file_says_the_same_when_it_is_read(wanted: RunSettings) -> None:
    assert make_settings(tomllib.loads(wanted.to_toml()), "stored") == wanted


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"colour": "red"}, "there is no setting 'colour'; the settings are bots, name, "),
        ({"bots": "a"}, "bots is 'a'"),
        ({"bots": [1]}, "bots.0 is 1"),
        ({"deals": 0}, "deals is 0"),
        ({"deals": 10**9}, "deals is 1000000000"),
        ({"deals": "many"}, "deals is 'many'"),
        ({"deals": 1.5}, "deals is 1.5"),
        ({"jobs": 0}, "jobs is 0"),
        ({"jobs": 1000}, "jobs is 1000"),
        ({"seats": "two"}, "seats is 'two'"),
        ({"target": "high"}, "target"),
        ({"tables": "some"}, "tables"),
        ({"sandbox": "docker"}, "sandbox is 'docker'"),
        ({"move_time": "fast"}, "move_time is 'fast'"),
        ({"options": ["reserve"]}, "options is ['reserve']"),
        ({"options": {"seats": 4}}, "seats is no option of a variant; give it as seats by itself"),
        ({"options": {"target": 4}}, "target is no option of a variant"),
        ({"options": {"name": "x"}}, "name is no option of a variant; give it as variant by itsel"),
        ({"name": "a b"}, "name 'a b' cannot be used"),
        ({"name": ""}, "name '' cannot be used"),
        ({"name": "-x"}, "name '-x' cannot be used"),
        ({"name": "x\n"}, "cannot be used"),
        ({"name": "x" * 65}, "cannot be used"),
        ({"name": "é"}, "cannot be used"),
    ],
)
def test_what_cannot_be_is_one_line_that_names_source_and_key(
    values: dict[str, Any], says: str
) -> None:
    with pytest.raises(ConfigError) as error:
        make_settings({**BOTS, **values}, "friday.toml")
    said = str(error.value)
    assert said.startswith("friday.toml: ")
    assert says in said
    assert "\n" not in said


def test_bots_must_be_named() -> None:
    with pytest.raises(ConfigError, match="bots is missing"):
        make_settings({}, "friday.toml")


def test_a_seed_gives_its_master_seed_and_none_a_random_one() -> None:
    def master(seed: str | int | None) -> bytes:
        return make_settings({**BOTS, "seed": seed}, "a test").master_seed()

    assert master(7) == master("7") != master("07")
    assert len(master(7)) == 32
    assert len({master(None) for _ in range(5)}) == 5


def test_folders_in_a_file_are_meant_from_where_the_file_is(tmp_path: Path) -> None:
    file = tmp_path / "t.toml"
    file.write_text('bots = ["mine", "../others/x", "/abs/y"]\n')
    assert read_tournament_file(file)[0]["bots"] == [
        f"{tmp_path}/mine",
        f"{tmp_path}/../others/x",
        "/abs/y",
    ]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"bots = [", "is no TOML"),
        (b"\xff\xfe", "it is not UTF-8 text"),
        (b"a = 1\na = 2\n", "is no TOML"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(content: bytes, says: str, tmp_path: Path) -> None:
    file = tmp_path / "t.toml"
    file.write_bytes(content)
    with pytest.raises(ConfigError, match=says) as error:
        read_tournament_file(file)
    assert str(file) in str(error.value)
    assert "\n" not in str(error.value)


def test_a_file_that_is_missing_or_a_folder_is_named(tmp_path: Path) -> None:
    for path in (tmp_path / "none.toml", tmp_path):
        with pytest.raises(ConfigError, match=f"cannot read {path}: "):
            read_tournament_file(path)

"""board, matches, show, verify and bots, as a person types them."""

from __future__ import annotations

import csv
import io
import json
import shutil
import sqlite3
import unicodedata
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from syrupy.assertion import SnapshotAssertion

from arena.cli.main import main
from arena.core.verdict import Termination
from arena.store import MAX_ATTEMPTS, Store
from tests.integration.played import (
    begun,
    faulted,
    no_contest,
    planned,
    record,
    save_all,
    tournament,
)


class Done(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Arena = Callable[..., Done]


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished tournament in which one match ended by a crash, and one that has only begun."""
    path = tmp_path_factory.mktemp("listing") / "arena.db"
    with Store.open(path, create=True) as store:
        wanted = begun(store, tournament(deals=8))
        store.save(faulted(wanted, planned(wanted)[4], Termination.CRASH))
        for match in planned(wanted):
            if match.index != 4:
                store.save(record(wanted, match))
        store.finish("spring")
        begun(store, tournament("autumn", bots="ada bix cleo dru", seats=4))
        save_all(store, begun(store, tournament("july", deals=1)))
    return path


@pytest.fixture
def db(template: Path, tmp_path: Path) -> Path:
    """A copy that a test may change."""
    return Path(shutil.copy(template, tmp_path / "arena.db"))


@pytest.fixture
def arena(db: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Arena:
    monkeypatch.setenv("ARENA_DB", str(db))
    monkeypatch.setenv("COLUMNS", "80")

    def run(*arguments: str) -> Done:
        monkeypatch.setattr("sys.argv", ["arena", *arguments])
        with pytest.raises(SystemExit) as left:
            main()
            raise SystemExit(0)
        captured = capsys.readouterr()
        return Done(int(left.value.code or 0), captured.out, captured.err)

    return run


def refused(done: Done) -> str:
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: ") and done.err.count("\n") == 1
    return done.err


@pytest.mark.parametrize("columns", ["80", "120"])
def test_the_board_fits_the_terminal(
    arena: Arena, columns: str, monkeypatch: pytest.MonkeyPatch, snapshot: SnapshotAssertion
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    done = arena("board", "spring", "--cross", "--history")
    assert (done.code, done.err) == (0, "")
    assert max(map(len, done.out.splitlines())) <= int(columns)
    assert "\x1b" not in done.out
    assert done.out == snapshot


def test_the_board_shows_the_tournament_that_was_begun_last(arena: Arena) -> None:
    assert arena("board").out.startswith("july ")


def test_the_board_of_a_tournament_without_a_whole_deal_says_so(arena: Arena) -> None:
    done = arena("board", "autumn")
    assert "0 of 8 matches so far" in done.out
    assert "nobody is rated" in done.out


def test_the_board_says_in_words_when_there_are_too_few_deals(arena: Arena) -> None:
    done = arena("board", "july")
    assert "Too few deals for a bar (3 deals at their tables; 6 are needed for 3 bots)" in done.out


def test_the_board_says_at_which_level_it_was_played(arena: Arena) -> None:
    assert "sandboxed at level full" in arena("board", "spring").out


def test_the_board_as_json_holds_what_the_table_shows(arena: Arena) -> None:
    board = arena("board", "spring", "--json").json
    (group,) = board["groups"]
    assert [row["rank"] for row in group["rows"]] == [1, 2, 3]
    assert board["matches"] == {"planned": 48, "played": 48, "counted": 48}
    assert sum(row["faults"] for row in group["rows"]) == 1
    assert sum(row["rating"] for row in group["rows"]) == pytest.approx(4500, abs=0.001)
    assert "running_elo" not in board
    history = arena("board", "spring", "--json", "--history").json["running_elo"]
    assert len(history) == 48


def test_the_board_as_csv_has_a_line_for_each_bot(arena: Arena) -> None:
    rows = list(csv.DictReader(io.StringIO(arena("board", "spring", "--csv").out)))
    assert sorted(row["bot"] for row in rows) == ["ada", "bix", "cleo"]
    assert sum(int(row["wins"]) + int(row["losses"]) + int(row["draws"]) for row in rows) == 96


def test_an_anchor_must_play_in_the_tournament(arena: Arena) -> None:
    board = arena("board", "spring", "--anchor", "ada", "--json").json
    (ada,) = [row for row in board["groups"][0]["rows"] if row["bot"] == "ada"]
    assert (ada["rating"], ada["bar"], ada["why_no_bar"]) == (1500.0, None, "anchor")
    said = refused(arena("board", "spring", "--anchor", "zoe"))
    assert 'no bot named "zoe" plays here; choose from ada, bix, cleo' in said


def test_an_alarm_is_on_the_board_in_red(arena: Arena, db: Path) -> None:
    connection = sqlite3.connect(db)
    connection.execute("INSERT INTO alarm (match, text, raised_at) VALUES (1, 'two \x1b', 'now')")
    connection.commit()
    connection.close()
    assert "1 ALARM in this database:\n  now  two \\x1b" in arena("board").out


def test_matches_are_listed_and_narrowed(arena: Arena) -> None:
    assert "50 of 54 matches; --limit shows more" in arena("matches", "--all").out
    assert 0 < arena("matches", "--json").json["total"] < 54, "the tournament begun last"
    crashed = arena("matches", "--all", "--termination", "crash", "--json").json
    assert [match["termination"] for match in crashed["matches"]] == ["CRASH"]
    one = arena("matches", "--tournament", "spring", "--bot", "ada", "--limit", "1", "--json").json
    assert (one["total"], len(one["matches"])) == (32, 1)
    assert "No match has ended so yet" in arena("matches", "--all", "--termination", "TIMEOUT").out


def test_a_match_is_drawn_round_by_round(arena: Arena, snapshot: SnapshotAssertion) -> None:
    done = arena("show", "3", "--tournament", "spring")
    assert max(map(len, done.out.splitlines())) <= 80
    assert done.out == snapshot


def test_a_crash_is_told_in_plain_words_with_its_evidence(
    arena: Arena, snapshot: SnapshotAssertion
) -> None:
    done = arena("show", "5", "--tournament", "spring")
    assert "'s process ended in the middle of the match and lost (CRASH)" in done.out
    assert "broken off here" in done.out
    assert "exit code 3" in done.out
    assert "\x1b" not in done.out and "\\x1b[31mred\\x07" in done.out
    assert done.out == snapshot


def test_a_match_as_json_holds_its_replay_and_evidence(arena: Arena) -> None:
    match = arena("show", "5", "--tournament", "spring", "--json").json
    assert match["verdict"]["termination"] == "CRASH"
    assert match["evidence"]["exit_code"] == 3
    assert match["replay"]["core"]["match_id"] == match["match_id"]


def test_a_planned_match_says_that_it_was_not_played(arena: Arena) -> None:
    assert "planned, not played yet" in arena("show", "1", "--tournament", "autumn").out
    assert "has not been played yet" in refused(arena("verify", "1", "--tournament", "autumn"))


def test_the_settings_of_a_tournament_are_shown_as_they_were_given(arena: Arena) -> None:
    assert arena("show", "--config", "spring").out == "# as given\n"
    config = arena("show", "--config", "spring", "--json").json
    assert config["seed"] is not None and config["state"] == "finished"
    assert arena("show", "--config", "autumn", "--json").json["seed"] is None


NASTY = "é\x1b[2J\x9b31m\x9dtitle\x07\u202etxet\u2028\U000e0041"
"""Text that moves a terminal's cursor, colours it, renames its window or turns its writing."""


@pytest.mark.parametrize(
    "asked",
    [
        ("bots", "--json"),
        ("show", "5", "--tournament", "spring", "--json"),
        ("show", "--config", "spring", "--json"),
        ("show", "--config", "spring"),
        ("show", "5", "--tournament", "spring"),
        ("bots",),
        ("board", "spring", "--json", "--history"),
        ("matches", "--json"),
    ],
)
def test_no_listing_sends_a_terminal_what_bots_or_files_hold(
    arena: Arena, db: Path, asked: tuple[str, ...]
) -> None:
    with Store.open(db) as store:
        match = store.match("5", "spring")
        assert match.evidence is not None
    evidence = match.evidence._replace(detail=NASTY, log=(NASTY,)).to_dict()
    with sqlite3.connect(db) as connection:
        for change, value in (
            ("bot_version SET manifest", json.dumps({"author": NASTY, "runtime": NASTY})),
            ("tournament SET config", f"# {NASTY}\n\tdeals = 1\n"),
            ("tournament SET settings", json.dumps({"note": NASTY})),
        ):
            connection.execute(f"UPDATE {change} = ?", (value,))
        changed = (json.dumps(evidence), match.match_id)
        connection.execute("UPDATE match SET evidence = ? WHERE match_id = ?", changed)
    connection.close()
    done = arena(*asked)
    assert (done.code, done.err) == (0, "")
    hidden = {char for char in done.out if unicodedata.category(char) in ("Cc", "Cf", "Zl", "Zp")}
    assert hidden <= {"\n", "\t"}
    if asked[-1] == "--json" and asked[0] in ("bots", "show"):
        assert NASTY in str_of(done.json), "and nothing is lost"
    if asked == ("show", "--config", "spring"):
        assert "\n\tdeals = 1\n" in done.out


def str_of(value: Any) -> str:
    """All the texts in a JSON value, one after the other."""
    if isinstance(value, dict):
        value = list(value.values())
    return "\n".join(map(str_of, value)) if isinstance(value, list) else str(value)


def test_bots_are_listed_with_what_they_played(arena: Arena) -> None:
    bots = {bot["name"]: bot for bot in arena("bots", "--json").json}
    assert (bots["ada"]["tournaments"], bots["ada"]["matches"]) == (3, 36)
    assert "A. Tester" in arena("bots").out


def test_everything_verifies(arena: Arena) -> None:
    done = arena("verify", "--all")
    assert (done.code, done.out) == (0, "54 matches verified, 0 differences.\n")
    assert arena("verify", "4", "--tournament", "spring").code == 0
    assert arena("verify", "--all", "--tournament", "july", "--json").json["matches"] == 6


def change_replay(db: Path, number: int, change: Callable[[bytes], bytes]) -> None:
    connection = sqlite3.connect(db)
    query = (
        "SELECT r.match, r.data FROM replay r JOIN match m ON m.id = r.match "
        "JOIN tournament t ON t.id = m.tournament_id WHERE t.name = 'spring' AND m.number = ?"
    )
    match, data = connection.execute(query, (number,)).fetchone()
    connection.execute("UPDATE replay SET data = ? WHERE match = ?", (change(data), match))
    connection.commit()
    connection.close()


def text_changed(old: bytes, new: bytes) -> Callable[[bytes], bytes]:
    def change(data: bytes) -> bytes:
        text = zlib.decompress(data)
        assert old in text
        return zlib.compress(text.replace(old, new, 1))

    return change


def a_byte_changed(data: bytes) -> bytes:
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]


def test_one_changed_byte_is_found_and_named(arena: Arena, db: Path) -> None:
    change_replay(db, 7, a_byte_changed)
    done = arena("verify", "--all")
    assert done.code == 1
    first, last = done.out.splitlines()
    assert first.startswith("match #7 (") and "its stored replay is damaged" in first
    assert last == "54 matches verified, 1 difference."
    assert refused(arena("show", "7", "--tournament", "spring"))


def test_a_changed_round_is_found_and_named(arena: Arena, db: Path) -> None:
    change_replay(db, 7, text_changed(b'"how":"domino"', b'"how":"blocked"'))
    done = arena("verify", "7", "--tournament", "spring")
    assert done.code == 1
    assert "the text of its replay has changed since it was stored" in done.out
    assert "round 1: recorded how blocked, the rules give domino" in done.out
    assert "its replay is not the one that was entered in the chain" in done.out


def test_a_changed_board_is_found_and_named(arena: Arena, db: Path) -> None:
    connection = sqlite3.connect(db)
    connection.execute("UPDATE placing SET score = 77 WHERE match = 9 AND seat = 0")
    connection.commit()
    connection.close()
    found = arena("verify", "--all", "--json").json["found"]
    assert [one["what"].split(" (")[0] for one in found] == ["match #9"]
    assert "the board counts [77," in found[0]["differences"][0]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("UPDATE tournament SET master = x'00'", "spring: the plan: the seed gives another plan"),
        ("UPDATE tournament SET secret = x'00'", "spring: the commitment: the revealed seed"),
        ("UPDATE tournament SET chain_head = 'x'", "spring: the chain of replays: the chain ends"),
        ("UPDATE match SET core_sha256 = '00' WHERE id = 9", "match #9"),
        ("DELETE FROM replay WHERE match = 9", "its replay is missing"),
    ],
)
def test_whatever_else_is_changed_is_found(arena: Arena, db: Path, change: str, said: str) -> None:
    connection = sqlite3.connect(db)
    connection.execute(change)
    connection.commit()
    connection.close()
    done = arena("verify", "--all", "--tournament", "spring")
    assert done.code == 1
    assert said in done.out


def test_a_no_contest_that_stands_is_shown_verified_and_left_out(
    arena: Arena, tmp_path: Path
) -> None:
    path = str(tmp_path / "faulty.db")
    short = tournament("faulty", bots="ada bix", deals=1)
    wanted = replace(short, variant=short.variant.with_options(target=100))
    with Store.open(path, create=True) as store:
        begun(store, wanted)
        first, second = planned(wanted)
        for attempt in range(MAX_ATTEMPTS):
            store.save(record(wanted, first, attempt))
            store.save(no_contest(wanted, second, attempt))
        store.finish("faulty")
    assert "2 matches verified, 0 differences" in arena("verify", "--all", "--db", path).out
    shown = arena("show", "2", "--db", path).out
    assert "no contest: the arena failed, so the match counts for nobody" in shown
    assert "2 earlier attempts dropped" in shown
    assert "0 deals" in arena("board", "--db", path).out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("board", "winter"), 'no tournament "winter"'),
        (("show", "winter"), 'no match in .* has an id that starts with "winter"'),
        (("show", "99"), 'tournament "july" has no match #99; `arena matches` lists them'),
        (("show",), "which match? `arena matches` lists them"),
        (("show", "--config", "winter"), 'no tournament "winter"'),
        (("verify",), "give a MATCH, or --all"),
        (("verify", "--all", "--tournament", "winter"), 'no tournament "winter"'),
        (("matches", "--tournament", "winter"), 'no tournament "winter"'),
        (("matches", "--bot", "zoe"), 'no bot "zoe" here; it has: ada, bix, cleo, dru'),
        (("bots", "--db", "/nowhere/arena.db"), "the folder /nowhere does not exist"),
        (("board", "--db", "/etc/passwd"), "is not a database of the arena"),
    ],
)
def test_what_cannot_be_shown_is_told_in_one_line(
    arena: Arena, arguments: tuple[str, ...], said: str
) -> None:
    import re

    assert re.search(said.replace("?", r"\?"), refused(arena(*arguments)))


def test_an_arena_without_a_tournament_points_to_the_first_command(
    arena: Arena, tmp_path: Path
) -> None:
    empty = str(tmp_path / "empty.db")
    Store.open(empty, create=True).close()
    for command in (("board",), ("matches",), ("verify", "--all"), ("show", "1")):
        assert "play one with `arena run`" in refused(arena(*command, "--db", empty))
    assert "No bot has been entered yet" in arena("bots", "--db", empty).out

"""The store on a real SQLite file: what goes in comes out, once."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from dominobot.replay import CHAIN_START, chain

from arena.core.clock import TimeControl
from arena.core.schedule import BotRef, plan
from arena.core.standings import standings
from arena.core.verdict import Termination
from arena.errors import ConfigError, ResultConflict, StoreError
from arena.store import MAX_ATTEMPTS, TIME_CONTROL, MatchFilter, State, Store, Terms
from tests.integration.played import (
    TERMS,
    begun,
    faulted,
    planned,
    record,
    records,
    save_all,
    tournament,
    version,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "arena.db"


@pytest.fixture
def store(path: Path) -> Store:
    with Store.open(path, create=True) as store:
        yield store


def test_a_new_file_is_an_empty_arena_in_wal_mode(store: Store, path: Path) -> None:
    assert store.tournaments() == () and store.bots() == () and store.alarms() == ()
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("PRAGMA application_id").fetchone() == (0x646F6D69,)
    connection.close()


def test_versions_and_bundles_are_stored_once_by_digest(store: Store) -> None:
    ada = version("ada")
    assert store.add_version(ada, b"zip") == BotRef("ada", ada.digest)
    store.add_version(ada, b"another zip of the same files")
    assert store.bundle(ada.digest) == b"zip"
    assert store.version(ada.digest) == ada
    with pytest.raises(StoreError, match="no bot version 00000000"):
        store.bundle("0" * 64)


def test_a_tournament_comes_back_as_it_was_begun(store: Store) -> None:
    wanted = begun(store)
    found = store.find("spring")
    assert found is not None
    assert (found.tournament, found.terms, found.state) == (wanted, TERMS, State.RUNNING)
    assert not found.is_revealed and found.chain_head is None
    assert store.find("autumn") is None


def test_beginning_it_again_resumes_with_the_stored_terms(store: Store) -> None:
    wanted = begun(store)
    other = TERMS._replace(secret=b"other" * 8)
    again = store.begin(wanted, other, plan(wanted))
    assert not again.is_new
    assert again.terms == TERMS
    assert store.resume(wanted, other) == again
    assert store.resume(tournament("autumn"), other) is None
    assert len(store.match_ids("spring")) == 12


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"deals": 3}, "its deals is 2, not 3"),
        ({"bots": "ada bix"}, "its bots are with cleo"),
        ({"bots": "ada bix cleo dru"}, "its bots are without dru"),
        ({"seats": 3}, "its seats is 2, not 3, its deal is 7, not 5"),
    ],
)
def test_another_tournament_of_the_same_name_is_refused(
    store: Store, other: dict[str, object], said: str
) -> None:
    begun(store)
    with pytest.raises(ConfigError, match=r"^[^\n]+$") as refused:
        begun(store, tournament(**other))  # type: ignore[arg-type]
    assert said in str(refused.value)
    assert "choose another --name" in str(refused.value)


def test_a_tournament_needs_its_bots_stored(store: Store) -> None:
    with pytest.raises(StoreError, match=r"bot ada in version [0-9a-f]{8} is not stored"):
        store.begin(tournament(), TERMS, plan(tournament()))
    assert store.find("spring") is None


def test_bots_are_stored_with_their_tournament_or_not_at_all(store: Store) -> None:
    wanted = tournament()
    versions = [(version(bot.name), b"zip of " + bot.name.encode()) for bot in wanted.bots]
    with pytest.raises(StoreError, match="bot cleo in version"):
        store.begin(wanted, TERMS, plan(wanted), versions[:2])
    assert store.bots() == ()
    assert store.begin(wanted, TERMS, plan(wanted), versions).is_new
    assert [line.name for line in store.bots()] == ["ada", "bix", "cleo"]
    other = tournament(bots="ada bix dru")
    with pytest.raises(ConfigError, match="is another one"):
        store.begin(other, TERMS, plan(other), [(version("dru"), b"zip")])
    assert [line.name for line in store.bots()] == ["ada", "bix", "cleo"]


@pytest.mark.parametrize(
    ("time", "said"),
    [
        ("move_s", "its move time is 1 s, not 0.5 s"),
        ("bank_s", "its bank is 5 s, not 0.5 s"),
        ("connect_s", "its connect time is 10 s, not 0.5 s"),
        ("match_s", "its match time is 600 s, not 0.5 s"),
    ],
)
def test_another_time_control_is_another_tournament(store: Store, time: str, said: str) -> None:
    def terms(**times: float) -> Terms:
        return TERMS._replace(settings={TIME_CONTROL: TimeControl(**times).to_dict()})

    wanted = begun(store)  # of an older release, which kept no clocks
    assert store.resume(wanted, terms(move_s=9.0)) is not None
    autumn = tournament("autumn")
    store.begin(autumn, terms(), plan(autumn))
    assert store.resume(autumn, terms()) is not None
    with pytest.raises(ConfigError, match="choose another --name") as refused:
        store.resume(autumn, terms(**{time: 0.5}))
    assert f"({said})" in str(refused.value)
    with pytest.raises(ConfigError, match=said):
        store.begin(autumn, terms(**{time: 0.5}), plan(autumn))


def test_the_to_do_list_is_the_plan_without_what_has_a_verdict(store: Store) -> None:
    wanted = begun(store)
    matches = planned(wanted)
    assert store.pending("spring") == {match.match_id: 0 for match in matches}
    assert store.save(record(wanted, matches[3]))
    assert list(store.pending("spring")) == [m.match_id for m in matches if m.index != 3]


def test_everything_of_a_match_comes_back(store: Store) -> None:
    wanted = begun(store)
    match = planned(wanted)[4]
    saved = faulted(wanted, match, Termination.CRASH)
    store.save(saved)
    found = store.match(match.match_id)
    assert (found.verdict, found.usage, found.evidence) == (
        saved.verdict,
        saved.usage,
        saved.evidence,
    )
    assert (found.replay, found.level, found.wall_s) == (saved.replay, "full", 0.25)
    assert found.bots == tuple(wanted.bots[bot].name for bot in match.seating)
    assert found.number == match.index + 1
    assert store.replay(match.match_id) == saved.replay


def test_the_same_result_again_changes_nothing(store: Store) -> None:
    wanted = begun(store)
    one = record(wanted, planned(wanted)[0])
    assert store.save(one)
    assert not store.save(one._replace(wall_s=9.0))
    assert store.match("1").wall_s == one.wall_s
    assert store.alarms() == ()


def test_a_second_result_that_differs_raises_an_alarm_and_changes_nothing(store: Store) -> None:
    wanted = begun(store)
    match = planned(wanted)[0]
    store.save(record(wanted, match))
    with pytest.raises(ResultConflict, match="a second result differs"):
        store.save(faulted(wanted, match, Termination.TIMEOUT))
    verdict = store.match("1").verdict
    assert verdict is not None and verdict.termination is Termination.TARGET_REACHED
    (alarm,) = store.alarms()
    assert alarm.match_id == match.match_id and "TIMEOUT" in alarm.text


def test_an_unplanned_match_is_refused(store: Store) -> None:
    wanted = begun(store)
    one = record(wanted, planned(wanted)[0])
    with pytest.raises(StoreError, match="is not planned"):
        store.save(one._replace(match_id="somewhere else"))
    with pytest.raises(StoreError, match="attempt 1 is reported, but 0 is the last"):
        store.save(one._replace(attempt=1))
    with pytest.raises(StoreError, match="came with a broken replay"):
        store.save(one._replace(replay="{}"))


def test_a_cancelled_match_stays_on_the_to_do_list(store: Store) -> None:
    wanted = begun(store)
    match = planned(wanted)[0]
    assert not store.save(faulted(wanted, match, Termination.CANCELLED))
    assert match.match_id in store.pending("spring")


def test_an_arena_fault_plans_its_whole_unit_again(store: Store) -> None:
    wanted = begun(store)
    first, second, third = planned(wanted)[:3]
    assert first.unit == second.unit != third.unit
    store.save(record(wanted, first))
    store.save(record(wanted, third))
    assert store.save(faulted(wanted, second, Termination.ARENA_FAULT))
    pending = store.pending("spring")
    assert (pending[first.match_id], pending[second.match_id]) == (1, 1)
    assert third.match_id not in pending
    assert store.match("1").replay is None and store.match("1").past_attempts == 1


def test_what_comes_back_late_from_an_older_attempt_is_not_heeded(store: Store) -> None:
    wanted = begun(store)
    first, second = planned(wanted)[:2]
    store.save(faulted(wanted, second, Termination.ARENA_FAULT))
    assert not store.save(record(wanted, first, attempt=0))
    assert not store.save(faulted(wanted, first, Termination.ARENA_FAULT, attempt=0))
    assert store.pending("spring")[first.match_id] == 1
    assert store.save(record(wanted, first, attempt=1))


def test_an_arena_that_fails_every_time_is_flagged_and_never_rated(store: Store) -> None:
    wanted = begun(store)
    first, second = planned(wanted)[:2]
    for attempt in range(MAX_ATTEMPTS):
        assert store.pending("spring")[second.match_id] == attempt
        store.save(record(wanted, first, attempt))
        store.save(faulted(wanted, second, Termination.ARENA_FAULT, attempt))
    assert second.match_id not in store.pending("spring")
    board = standings(wanted, store.results("spring"))
    assert (board.played, board.counted) == (2, 0)


def test_faults_in_a_series_are_counted_by_bot_in_schedule_order(store: Store) -> None:
    wanted = begun(store, tournament(deals=6))
    series = plan(wanted)[0]
    words = [Termination.CRASH, Termination.TIMEOUT, Termination.CRASH]
    for match, word in zip(series.matches, words, strict=False):
        store.save(faulted(wanted, match, word))
    store.save(record(wanted, series.matches[4]))
    faults = store.faults_in_series(series.series_id)
    assert sum(faults.values(), ()) != () and sum(map(len, faults.values())) == 3
    assert store.faults_in_series(plan(wanted)[1].series_id) == {}


def test_an_ending_tournament_reveals_and_chains_in_schedule_order(store: Store) -> None:
    wanted = begun(store)
    with pytest.raises(StoreError, match="still has 12 matches to play"):
        store.finish("spring")
    for one in reversed(list(records(wanted))):
        store.save(one)
    head = store.finish("spring")
    link = CHAIN_START
    for match in planned(wanted):
        core = store.match(match.match_id).core_sha256
        assert core is not None
        link = chain(link, core)
    assert head == link == store.chain_head("spring") == store.finish("spring")
    found = store.tournament("spring")
    assert found.is_finished and found.is_revealed and found.finished_at is not None


def test_running_elo_is_kept_with_every_match(store: Store, path: Path) -> None:
    wanted = begun(store)
    save_all(store, wanted)
    history = standings(wanted, store.results("spring")).history
    connection = sqlite3.connect(path)
    rows = connection.execute(
        "SELECT m.match_id, p.seat, p.running_elo FROM placing p JOIN match m ON m.id = p.match"
    ).fetchall()
    connection.close()
    kept = {(match_id, seat): elo for match_id, seat, elo in rows}
    for moved in history:
        assert [kept[moved.match_id, seat] for seat in range(2)] == list(moved.elo)


def test_results_come_back_in_schedule_order(store: Store) -> None:
    wanted = begun(store)
    for one in reversed(list(records(wanted))):
        store.save(one)
    found = store.results("spring")
    assert [(one.match_id, one.seating) for one in found] == [
        (match.match_id, match.seating) for match in planned(wanted)
    ]


def test_lists_of_matches_can_be_narrowed(store: Store) -> None:
    wanted = begun(store)
    matches = planned(wanted)
    store.save(faulted(wanted, matches[0], Termination.CRASH))
    for match in matches[1:]:
        store.save(record(wanted, match))
    assert len(store.matches()) == 12
    assert [one.number for one in store.matches(MatchFilter(limit=2))] == [1, 2]
    crashed = store.matches(MatchFilter(termination=Termination.CRASH))
    assert [one.match_id for one in crashed] == [matches[0].match_id]
    of_ada = MatchFilter(tournament="spring", bot="ada")
    assert all("ada" in one.bots for one in store.matches(of_ada))
    assert store.count_matches(of_ada) == len(store.matches(of_ada)) == 8
    assert store.matches(MatchFilter(bot="nobody")) == ()


def test_a_match_is_found_by_number_or_by_the_start_of_its_id(store: Store) -> None:
    wanted = begun(store)
    save_all(store, wanted)
    match = planned(wanted)[6]
    for reference in ("7", "#7", match.match_id, match.match_id[:10], match.match_id.upper()):
        assert store.match(reference).match_id == match.match_id
    with pytest.raises(StoreError, match='"spring" has no match #13'):
        store.match("13")
    for reference in ("zzz", "", "%", "_"):
        with pytest.raises(StoreError, match="has an id that starts with"):
            store.match(reference)


def test_two_tournaments_live_side_by_side(store: Store) -> None:
    spring, autumn = begun(store), begun(store, tournament("autumn", deals=1))
    save_all(store, spring)
    assert [line.name for line in store.tournaments()] == ["spring", "autumn"]
    assert [line.played for line in store.tournaments()] == [12, 0]
    assert store.tournament().tournament == autumn
    assert store.results("autumn") == ()
    bots = {line.name: line for line in store.bots()}
    assert (bots["ada"].tournaments, bots["ada"].matches) == (2, 8)


def test_unknown_tournaments_are_told_with_those_there_are(store: Store) -> None:
    with pytest.raises(StoreError, match="no tournament yet"):
        store.tournament()
    begun(store)
    with pytest.raises(StoreError, match=r"no tournament .autumn. in .*; it has: spring"):
        store.tournament("autumn")
    with pytest.raises(StoreError, match='no tournament "autumn"'):
        store.pending("autumn")


def test_a_closed_store_leaves_one_file(path: Path) -> None:
    with Store.open(path, create=True) as store:
        begun(store)
    assert [file.name for file in path.parent.iterdir()] == ["arena.db"]
    with Store.open(f"sqlite:///{path}") as store:
        assert store.find("spring") is not None

"""Local games: same deals, every seat, and each fault where it belongs."""

from __future__ import annotations

from collections import Counter

import pytest
from dominobot import Bot, End, GameInfo, GameResult, Play, RoundEnd, Tile, Variant, View
from dominobot.local import ClassPlayer, GameRecord, tables
from dominobot.session import Session

FAMILLE = Variant.preset("famille")


class First(Bot):
    def choose(self, view: View) -> Play:
        return view.legal[0]


class Chancy(Bot):
    def choose(self, view: View) -> Play:
        return self.random.choice(view.legal)


class Cheat(First):
    """Lays a tile that it does not hold."""

    def choose(self, view: View) -> Play:
        return Play(view.unseen[0], End.LEFT)


class Broken(First):
    def choose(self, view: View) -> Play:
        raise RuntimeError("no idea")


class BrokenStart(First):
    def on_game_start(self, info: GameInfo) -> None:
        raise RuntimeError("not today")


class BrokenEnd(First):
    def on_game_end(self, result: GameResult) -> None:
        raise RuntimeError("sore loser")


class Leaver(First):
    def choose(self, view: View) -> Play:
        raise SystemExit(0)


def session(*classes: type[Bot], variant: Variant = FAMILLE, games: int = 2) -> Session:
    players = [ClassPlayer(each.__name__, each) for each in classes]
    played = Session(players, variant, games=games, seed="local")
    played.play()
    return played


def test_each_deal_is_played_from_every_seat() -> None:
    played = session(First, Chancy, Chancy, variant=Variant.preset("kawu", seats=3), games=7)
    assert played.games == len(played.records) == 9
    assert [record.deal for record in played.records] == [1, 1, 1, 2, 2, 2, 3, 3, 3]
    assert [record.seating for record in played.records[:3]] == [(0, 1, 2), (1, 2, 0), (2, 0, 1)]
    assert [record.number for record in played.records] == list(range(1, 10))


def test_with_more_bots_than_seats_every_table_plays_the_same_deals() -> None:
    played = session(First, Chancy, Broken)
    assert {frozenset(record.seating) for record in played.records} == {
        frozenset(table) for table in tables(3, 2)
    }
    assert played.games == 6


def test_the_same_bot_at_both_seats_of_a_deal_plays_the_same_game_twice() -> None:
    first, second = session(First, First).records
    assert first.totals == second.totals
    assert first.ranks == second.ranks


def test_the_same_seed_gives_the_same_games() -> None:
    assert session(Chancy, Chancy, games=6).records == session(Chancy, Chancy, games=6).records


def test_a_game_is_a_match_by_the_rules() -> None:
    for record in session(First, Chancy, games=10).records:
        assert record.termination == "TARGET_REACHED"
        assert max(record.totals) >= 100
        assert record.winner is not None
        assert record.totals[record.winner] == max(record.totals)


def test_a_single_round_can_be_drawn() -> None:
    single = Variant.preset("block", target=None)
    records = session(First, Chancy, variant=single, games=300).records
    assert all(record.rounds == 1 for record in records)
    assert any(record.winner is None for record in records)


@pytest.mark.parametrize(
    ("bot", "termination", "reason"),
    [
        (Broken, "CRASH", "RuntimeError: no idea"),
        (BrokenStart, "CRASH", "RuntimeError: not today"),
        (Leaver, "CRASH", "SystemExit: 0"),
    ],
)
def test_an_exception_loses_the_game_and_is_kept(
    bot: type[Bot], termination: str, reason: str
) -> None:
    played = session(First, bot)
    for record in played.records:
        assert record.fault is not None
        assert record.seating[record.fault.seat] == 1
        assert (record.termination, record.fault.reason) == (termination, reason)
        assert record.ranks[record.fault.seat] == 2
        assert "Traceback" not in reason
        assert reason in record.fault.trace
    good, bad = played.tallies()
    assert (good.won, good.faults) == (2, [])
    assert (bad.lost, bad.lost_by_fault) == (2, 2)
    assert bad.fault_kinds() == [(2, termination, reason)]


def test_an_illegal_play_loses_the_game_and_says_which() -> None:
    record = session(First, Cheat).records[0]
    assert record.termination == "ILLEGAL_MOVE"
    assert record.fault is not None
    assert record.fault.reason.startswith("played ")
    assert record.fault.trace == ""


def test_after_a_fault_the_others_rank_by_their_points() -> None:
    played = session(First, Chancy, Broken, variant=Variant.preset("kawu", seats=3), games=3)
    for record in played.records:
        assert record.fault is not None
        assert record.ranks[record.fault.seat] == 3
        assert sorted(record.ranks) in ([1, 1, 3], [1, 2, 3])


def test_an_exception_after_the_last_round_leaves_the_result() -> None:
    played = session(First, BrokenEnd)
    assert all(record.termination == "TARGET_REACHED" for record in played.records)
    bad = played.tallies()[1]
    assert (len(bad.faults), bad.lost_by_fault) == (2, 0)


def test_a_bot_hears_of_every_round_and_of_the_end() -> None:
    heard: Counter[str] = Counter()

    class Listener(First):
        def on_game_start(self, info: GameInfo) -> None:
            heard["start"] += 1

        def on_round_end(self, event: RoundEnd) -> None:
            heard["round"] += 1

        def on_game_end(self, result: GameResult) -> None:
            heard["end"] += 1
            heard["won"] += result.is_won

    played = session(Listener, Chancy, games=4)
    assert heard["start"] == heard["end"] == 4
    assert heard["round"] == sum(record.rounds for record in played.records)
    assert heard["won"] == played.tallies()[0].won


def test_a_view_has_the_clock_of_an_arena() -> None:
    class Timed(First):
        def choose(self, view: View) -> Play:
            assert (view.limit_s, view.bank_s) == (1.0, 5.0)
            return view.legal[0]

    assert session(Timed, Chancy).tallies()[0].faults == []


def test_a_slow_call_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(100_000_000))
    monkeypatch.setattr("dominobot.local.time.perf_counter", lambda: 0.6 * next(clock))
    assert session(First, First).paces[0].slow == 0
    monkeypatch.setattr("dominobot.local.time.perf_counter", lambda: 1.2 * next(clock))
    pace = session(First, First).paces[0]
    assert pace.slow > pace.decisions
    assert pace.slowest_s == pytest.approx(1.2)


def test_what_a_bot_prints_goes_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    class Chatty(First):
        def choose(self, view: View) -> Play:
            print("thinking")
            return view.legal[0]

    session(Chatty, First)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "thinking" in captured.err


def test_an_interrupt_is_not_a_fault() -> None:
    class Interrupted(First):
        def choose(self, view: View) -> Play:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        session(Interrupted, First)


def record(ranks: tuple[int, ...], deal: int = 1) -> GameRecord:
    return GameRecord(1, deal, (0, 1), "TARGET_REACHED", ranks, (100, 40), 5)


def test_a_tally_counts_shared_places_in_part() -> None:
    played = Session([ClassPlayer("a", First), ClassPlayer("b", First)], FAMILLE, games=2, seed="")
    played.records += [record((1, 2)), record((1, 1)), record((2, 1), deal=2), record((2, 1), 2)]
    a, b = played.tallies()
    assert (a.won, a.drawn, a.lost) == (1, 1, 2)
    assert (b.won, b.drawn, b.lost) == (2, 1, 1)
    assert a.share == pytest.approx(1.5 / 4)
    assert a.share + b.share == pytest.approx(1)
    assert a.points_per_game == 100


def test_a_bar_needs_two_deals_and_is_never_zero() -> None:
    played = Session([ClassPlayer("a", First), ClassPlayer("b", First)], FAMILLE, games=2, seed="")
    played.records += [record((1, 2)), record((1, 2))]
    assert played.tallies()[0].margin is None
    played.records += [record((1, 2), deal=2)]
    margin = played.tallies()[0].margin
    assert margin is not None
    assert margin > 0.3


def test_equal_names_are_told_apart() -> None:
    assert session(First, First, First, games=1).names == ("First", "First#2", "First#3")


def test_a_tile_of_the_wrong_order_is_the_same_play() -> None:
    class Turned(First):
        def choose(self, view: View) -> Play:
            tile, end = view.legal[0].tile, view.legal[0].end
            return Play(Tile(tile.high, tile.low), end)

    assert session(Turned, First).tallies()[0].faults == []

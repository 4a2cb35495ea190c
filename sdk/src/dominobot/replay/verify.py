"""Check a replay: play it again by the rules and compare everything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dominobot.replay.format import ENDING_KEYS, Replay, ReplayError, canonical, round_records
from dominobot.replay.read import parse_replay
from dominobot.rules import ENGINE, DealError, IllegalPlay, Match

TARGET_REACHED = "TARGET_REACHED"
ROUND_CAP = "ROUND_CAP"
BY_RULES = (TARGET_REACHED, ROUND_CAP)
NOBODYS_FAULT = ("ARENA_FAULT", "CANCELLED")
"""Terminations that say that the arena stopped: possible at any point of a match."""


def verify(text: str) -> list[str]:
    """Sentences that name where a replay differs from what the rules give; empty if nowhere.

    Each part of the replay is named with its first difference only, in this order: the engine, the
    rounds, the plays, the verdict, the hash. A text that is no replay gives one sentence.
    """
    try:
        replay = parse_replay(text)
    except ReplayError as error:
        return [f"this is no replay: {error}"]
    found = []
    if replay.engine != ENGINE:
        found.append(f"the match was played by {replay.engine}, this is {ENGINE}")
    execution = _Execution(replay)
    given = round_records(execution.match)
    if execution.trouble:
        found += _compare_rounds(_cut(replay.rounds, given), _cut(given, given))
        found.append(execution.trouble)
    else:
        found += _compare_rounds(replay.rounds, given)
        found += _compare_verdict(replay.verdict, execution)
    if replay.core_sha256 != replay.recorded_sha256:
        found.append(
            f"the core has the hash {replay.core_sha256}, recorded is {replay.recorded_sha256}"
        )
    return found


def replay_match(replay: Replay) -> Match:
    """The match of a replay, played again: for hands, ends and chain at every turn, see its log.

    Raises:
        ReplayError: the plays cannot be played by the rules.
    """
    execution = _Execution(replay)
    if execution.trouble:
        raise ReplayError(execution.trouble)
    return execution.match


class _Execution:
    """A replay played again as far as it goes.

    ``trouble`` says what stopped it, "" if nothing did. ``totals_at_last_play`` are those before
    the turns without a choice that followed the last play.
    """

    def __init__(self, replay: Replay) -> None:
        self.match = Match(replay.variant, replay.deck_source)
        self.totals_at_last_play = self.match.totals
        self.trouble = self._run(replay)

    def _run(self, replay: Replay) -> str:
        match = self.match
        for index, play in enumerate(replay.plays):
            try:
                if match.next_decision() is None:
                    extra = len(replay.plays) - index
                    return f"the match is over, but {extra} more plays are recorded"
                match.play(play)
            except IllegalPlay as error:
                return f"{_place(match)}: the rules refuse the recorded {play}: {error}"
            except DealError as error:
                return f"the recorded {play} cannot be played: {error}"
        self.totals_at_last_play = match.totals
        return self._run_out(replay)

    def _run_out(self, replay: Replay) -> str:
        """Play what follows the last decision without a choice."""
        try:
            self.match.next_decision()
        except DealError as error:
            is_after_last = replay.decks is not None and len(replay.decks) == self.match.round_no
            return "" if is_after_last else str(error)
        return ""


def _place(match: Match) -> str:
    return f"round {match.round_no}, turn {len(match.current_turns) + 1}"


def _cut(
    rounds: Sequence[Mapping[str, Any]], given: Sequence[Mapping[str, Any]]
) -> list[Mapping[str, Any]]:
    """As much of ``rounds`` as was ``given`` before something stopped the execution."""
    last = len(given) - 1
    cut = list(rounds[: last + 1])
    if len(cut) == len(given) > 0 and given[last]["how"] is None:
        entry = {key: value for key, value in cut[last].items() if key not in ENDING_KEYS}
        if isinstance(entry.get("turns"), list):
            entry["turns"] = entry["turns"][: len(given[last]["turns"])]
        cut[last] = entry
    return cut


def _compare_rounds(
    recorded: Sequence[Mapping[str, Any]], given: Sequence[Mapping[str, Any]]
) -> list[str]:
    for number, (old, new) in enumerate(zip(recorded, given, strict=False), start=1):
        sentence = _compare_round(f"round {number}", old, new)
        if sentence:
            return [sentence]
    if len(recorded) != len(given):
        return [f"recorded are {len(recorded)} rounds, the rules give {len(given)}"]
    return []


def _compare_round(place: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    for key in new:
        if key not in old:
            return f"{place}: {key} is not recorded"
        if key == "turns":
            sentence = _compare_turns(place, old[key], new[key])
            if sentence:
                return sentence
        elif not _same(old[key], new[key]):
            return f"{place}: recorded {key} {_show(old[key])}, the rules give {_show(new[key])}"
    unknown = sorted(old.keys() - new.keys())
    return f"{place}: {unknown[0]} is recorded, which no round has" if unknown else ""


def _compare_turns(place: str, old: object, new: Sequence[str]) -> str:
    if not isinstance(old, list):
        return f"{place}: turns is not a list"
    for number, (was, is_now) in enumerate(zip(old, new, strict=False), start=1):
        if was != is_now:
            return f"{place}, turn {number}: recorded {_show(was)}, the rules give {_show(is_now)}"
    if len(old) != len(new):
        return f"{place}: recorded are {len(old)} turns, the rules give {len(new)}"
    return ""


def _compare_verdict(verdict: Mapping[str, Any], execution: _Execution) -> list[str]:
    match = execution.match
    termination = verdict["termination"]
    result = match.result()
    if match.is_over and (match.plays or termination in BY_RULES):  # else nobody was ever asked
        by_rules = ROUND_CAP if result.is_capped else TARGET_REACHED
        if termination != by_rules and termination not in NOBODYS_FAULT:
            return [f"the verdict says {termination}, the rules give {by_rules}"]
    elif termination in BY_RULES:
        return [f"the verdict says {termination}, but the recorded plays do not end the match"]
    scores = tuple(verdict["scores"])
    if scores not in (result.scores, execution.totals_at_last_play):
        return [f"the verdict has scores {_show(scores)}, the rules give {_show(result.scores)}"]
    if termination not in BY_RULES:
        return []  # what a fault costs is the arena's business (A17)
    if tuple(verdict["ranks"]) != result.ranks:
        ranks = verdict["ranks"]
        return [f"the verdict has ranks {_show(ranks)}, the rules give {_show(result.ranks)}"]
    if verdict["faulty_seat"] is not None:
        return [f"the verdict blames seat {verdict['faulty_seat']}, but no fault ended the match"]
    return []


def _same(old: object, new: object) -> bool:
    """The same JSON text: in Python 1 is equal to true."""
    return canonical(old) == canonical(new)


def _show(value: object) -> str:
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(str, value)) + "]"
    return "nothing" if value in (None, "") else str(value)

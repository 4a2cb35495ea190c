"""arena verify: play stored matches again through the rules and compare everything."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import click

from arena.cli.options import console, db_option, json_option, open_store, print_json
from arena.errors import ConfigError, StoreError

if TYPE_CHECKING:
    from arena.core.schedule import PlannedMatch, Tournament
    from arena.store import Store, StoredMatch, StoredTournament


class Finding(NamedTuple):
    """What was compared, whether that was a match, and sentences about what differs."""

    what: str
    is_match: bool
    differences: list[str]


@click.command()
@click.argument("match", required=False)
@db_option
@click.option("--all", "is_all", is_flag=True, help="Check every match, plan, seed and chain.")
@click.option("--tournament", metavar="NAME", help="Only this tournament.")
@json_option
def command(
    match: str | None, db: str, is_all: bool, tournament: str | None, as_json: bool
) -> None:
    """Check MATCH, or with --all every match: stored hashes, rules, verdict, plan, seed and chain.

    Exit code 1 when something differs; each difference is named.
    """
    if (match is None) == (not is_all):
        raise ConfigError("what is to be verified? give a MATCH, or --all")
    with open_store(db) as store:
        if match is not None:
            findings = [_check_reference(store, match, tournament)]
        else:
            first = store.tournament(tournament)  # says so when there is no such thing
            names = [] if tournament else [line.name for line in store.tournaments()]
            chosen = [store.tournament(name) for name in names] or [first]
            findings = list(_with_progress(store, chosen))
    _report(findings, as_json)


def check_tournament(store: Store, stored: StoredTournament) -> Iterator[Finding]:
    """Everything there is to check about a tournament, one finding after the other."""
    from arena.core.checking import check_commitment, check_plan
    from arena.core.schedule import in_schedule_order, plan

    tournament = stored.tournament
    name = tournament.name
    planned = {match.match_id: match for match in in_schedule_order(plan(tournament))}
    ids = store.match_ids(name)
    yield Finding(f"{name}: the plan", False, check_plan(planned, ids))
    pending = store.pending(name)
    for match_id in ids:
        if match_id in planned and match_id not in pending:
            yield _check_match(store, match_id, planned[match_id], tournament)
    if stored.is_finished:
        differences = check_commitment(tournament, stored.terms.secret, stored.terms.commitment)
        yield Finding(f"{name}: the commitment", False, differences)
        head = store.chain_head(name)
        same = head == stored.chain_head
        differences = [] if same else [f"the chain ends in {head}, stored is {stored.chain_head}"]
        yield Finding(f"{name}: the chain of replays", False, differences)


def _check_reference(store: Store, reference: str, tournament: str | None) -> Finding:
    from arena.core.schedule import in_schedule_order, plan

    match = store.match(reference, tournament)
    if match.verdict is None:
        raise StoreError(f"match #{match.number} ({match.match_id[:8]}) has not been played yet")
    stored = store.tournament(match.tournament)
    planned = in_schedule_order(plan(stored.tournament))[match.number - 1]
    if planned.match_id != match.match_id:
        return Finding(_named(match), True, ["the seed gives another match in its place"])
    return Finding(_named(match), True, _differences(match, planned, stored.tournament))


def _check_match(
    store: Store, match_id: str, planned: PlannedMatch, tournament: Tournament
) -> Finding:
    try:
        match = store.match(match_id)
    except StoreError as error:  # its replay cannot be unpacked: a difference like any other
        return Finding(f"match #{planned.index + 1} ({match_id[:8]})", True, [str(error)])
    return Finding(_named(match), True, _differences(match, planned, tournament))


def _differences(match: StoredMatch, planned: PlannedMatch, tournament: Tournament) -> list[str]:
    from arena.core.checking import Claim, check_match

    assert match.verdict is not None
    claim = Claim(
        match.bots,
        match.level,
        match.verdict,
        match.replay,
        match.replay_sha256,
        match.core_sha256,
    )
    return check_match(claim, planned, tournament)


def _named(match: StoredMatch) -> str:
    return f"match #{match.number} ({match.match_id[:8]}, {' – '.join(match.bots)})"


def _with_progress(store: Store, chosen: list[StoredTournament]) -> Iterator[Finding]:
    """All findings, with a progress bar on the error stream where that is a terminal."""
    from rich.console import Console
    from rich.progress import track

    names = {stored.tournament.name for stored in chosen}
    total = sum(line.played for line in store.tournaments() if line.name in names)
    screen = Console(stderr=True)
    findings = (finding for stored in chosen for finding in check_tournament(store, stored))
    yield from track(
        findings,
        "Verifying",
        total=total,
        console=screen,
        transient=True,
        disable=not screen.is_terminal,
    )


def _report(findings: list[Finding], as_json: bool) -> None:
    from arena.cli.words import clean, plural

    wrong = [finding for finding in findings if finding.differences]
    n_matches = sum(finding.is_match for finding in findings)
    n_differences = sum(len(finding.differences) for finding in wrong)
    if as_json:
        found = [{"what": one.what, "differences": one.differences} for one in wrong]
        print_json({"matches": n_matches, "differences": n_differences, "found": found})
    else:
        screen = console()
        for finding in wrong:
            for difference in finding.differences:
                line = f"{clean(finding.what)}: {clean(difference)}"
                screen.print(line, style="bold red", markup=False, soft_wrap=True)
        screen.print(
            f"{plural(n_matches, 'match', 'matches')} verified, "
            f"{plural(n_differences, 'difference')}.",
            style="bold red" if wrong else "green",
        )
    if wrong:
        sys.exit(1)

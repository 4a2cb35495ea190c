"""Playing a tournament at the terminal: what ``arena run`` and ``arena demo`` share."""

from __future__ import annotations

import asyncio
import secrets
import signal
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from dominobot.rules import commitment
from rich.console import Console

from arena.cli.progress import MatchProgress
from arena.config import RunSettings
from arena.core.schedule import SeriesPlan, n_matches, n_tables, plan
from arena.entry import Entry, enter
from arena.executors.local import LocalConfig, LocalExecutor
from arena.sandbox.base import Level
from arena.store import (
    TIME_CONTROL,
    Store,
    StoredTournament,
    Terms,
    check_place,
    claimed,
    database_path,
    is_open_to_others,
)
from arena.tournament import Conditions, TournamentRun
from arena.trial import try_bots

STOPPED = 130
"""Exit code after Ctrl-C, as a shell gives it."""


class SandboxChoice(NamedTuple):
    """The sandbox that seats get: which backend, and what it promises on this machine."""

    backend: str
    level: Level


class Order(NamedTuple):
    """What is to be played. ``config`` is the text kept with it: that of its tournament file."""

    settings: RunSettings
    config: str
    has_trial: bool = True


class StoppedError(Exception):
    """The person pressed Ctrl-C; everything is put away and can be gone on with."""


def play(order: Order, db: str, sandbox: SandboxChoice, console: Console) -> StoredTournament:
    """Play a tournament, or go on with it, and give it back as stored at the end.

    The database is made when there is something to store in it, after the trial; that it can be
    used is found out before.

    Raises:
        ArenaError: what a person can mend.
        StoppedError: Ctrl-C.
    """
    entry = enter(order.settings)
    path = database_path(db)
    is_there = check_place(path, create=True)
    with claimed(path, entry.tournament.name):
        known = None
        if is_there:
            known, entry = _resume(path, entry)
        if known is not None and known.is_finished:
            console.print(f"[bold]{known.tournament.name}[/] is finished; this is its result.")
            return known
        if known is None and order.has_trial:
            asyncio.run(_stoppable(_trial(entry, sandbox, console)))
        terms = _terms(order, entry, sandbox) if known is None else known.terms
        _announce(entry, terms, sandbox, console, is_new=known is None)
        series = plan(entry.tournament)
        with Store.open(path, create=True) as store:
            bundles = entry.bundles.values()
            store.begin(
                entry.tournament, terms, series, [(each.version, each.data) for each in bundles]
            )
            _warn_of_readers(path, console)
            asyncio.run(_stoppable(_play(store, series, entry, sandbox, console)))
            finished = store.tournament(entry.tournament.name)
    _reveal(finished, console)
    return finished


def _resume(path: Path, entry: Entry) -> tuple[StoredTournament | None, Entry]:
    """The tournament as it is stored, if it is, and the entry with the seed that it then has."""
    with Store.open(path) as store:
        known = store.find(entry.tournament.name)
        if known is None:
            return None, entry
        if entry.settings.seed is None:
            tournament = replace(entry.tournament, master=known.tournament.master)
            entry = entry._replace(tournament=tournament)
        return store.resume(entry.tournament, known.terms._replace(settings=_clocks(entry))), entry


def _clocks(entry: Entry) -> dict[str, Any]:
    return {TIME_CONTROL: entry.control.to_dict()}


def _terms(order: Order, entry: Entry, sandbox: SandboxChoice) -> Terms:
    secret = secrets.token_bytes(32)
    return Terms(
        secret=secret,
        commitment=commitment(secret, entry.tournament.master),
        config=order.config,
        settings={**_clocks(entry), "level": sandbox.level.value, "backend": sandbox.backend},
    )


def _announce(
    entry: Entry, terms: Terms, sandbox: SandboxChoice, console: Console, *, is_new: bool
) -> None:
    tournament = entry.tournament
    seats = tournament.variant.seats
    start = "Playing" if is_new else "Going on with"
    target = tournament.variant.target
    goal = "a single round" if target is None else f"to {target}"
    console.print(
        f"{start} [bold]{tournament.name}[/]: {tournament.variant.name}, {seats} seats, {goal}\n"
        f"  {len(tournament.bots)} bots, {n_tables(tournament)} tables x {tournament.deals} deals "
        f"x {seats} rotations = [bold]{n_matches(tournament)}[/] matches on {entry.jobs} workers\n"
        f"  sandbox: [bold]{sandbox.level.value}[/] ({sandbox.backend})\n"
        f"  commitment to the deals: {terms.commitment}",
        highlight=False,
        soft_wrap=True,
    )
    if sandbox.level is not Level.FULL:
        console.print(f"  [yellow]{WARNINGS[sandbox.level]}[/]", highlight=False, soft_wrap=True)


def _warn_of_readers(path: Path, console: Console) -> None:
    if is_open_to_others(path):
        console.print(
            f"  {path} holds the secret seed, and other users may read it: chmod 600 {path}",
            style="yellow",
            highlight=False,
            soft_wrap=True,
            markup=False,
        )


WARNINGS = {
    Level.PRACTICE: (
        "practice level: no cgroups and no user of its own for a bot. Play only bots you trust; "
        "`arena doctor` says how to reach full."
    ),
    Level.UNSAFE: "NO SANDBOX: the bots run with your rights. Play only bots that you wrote.",
}


def _reveal(stored: StoredTournament, console: Console) -> None:
    tournament, terms = stored.tournament, stored.terms
    console.print(
        f"  seed {tournament.master.hex()}\n"
        f"  secret {terms.secret.hex()}\n"
        f"  SHA-256 of secret and seed is the commitment above; `arena verify --all` checks it.",
        style="dim",
        highlight=False,
        soft_wrap=True,
    )


def _executor(entry: Entry, sandbox: SandboxChoice) -> LocalExecutor:
    config = LocalConfig(entry.jobs, sandbox.level, sandbox.backend, entry.bundles)
    return LocalExecutor(config)


async def _trial(entry: Entry, sandbox: SandboxChoice, console: Console) -> None:
    executor = _executor(entry, sandbox)
    with console.status("a trial round for each bot"):
        await executor.start()
        try:
            await try_bots(entry, executor, sandbox.level.value)
        finally:
            await executor.close()


async def _play(
    store: Store,
    series: Sequence[SeriesPlan],
    entry: Entry,
    sandbox: SandboxChoice,
    console: Console,
) -> None:
    tournament = entry.tournament
    executor = _executor(entry, sandbox)
    total = n_matches(tournament)
    with MatchProgress(console, total, total - len(store.pending(tournament.name))) as progress:
        await executor.start()
        try:
            conditions = Conditions(entry.control, sandbox.level.value)
            run = TournamentRun(store, tournament, series, executor, conditions)
            await run.play(progress.note)
        finally:
            await executor.close()


async def _stoppable(work: object) -> None:
    """Run a coroutine; SIGINT and SIGTERM cancel it, and what it holds is put away in order."""
    assert asyncio.iscoroutine(work)
    task = asyncio.ensure_future(work)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, task.cancel)
    try:
        await task
    except asyncio.CancelledError:
        raise StoppedError from None
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)


def say_stopped(console: Console) -> None:
    """The last line after Ctrl-C."""
    console.print(
        "Stopped. What was played is saved; run the same command to go on.", style="yellow"
    )

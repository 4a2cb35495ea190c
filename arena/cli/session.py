"""Playing a tournament at the terminal: what ``arena run`` and ``arena demo`` share."""

from __future__ import annotations

import asyncio
import secrets
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from dominobot.rules import commitment
from rich.console import Console
from rich.markup import escape

from arena.cli.progress import MatchProgress
from arena.config import RunSettings
from arena.core.schedule import plan
from arena.entry import Entry, enter
from arena.errors import ArenaError
from arena.executors.local import LocalConfig, LocalExecutor
from arena.sandbox.base import Level
from arena.store import State, Store, StoredTournament, Terms
from arena.tournament import Conditions, TournamentRun
from arena.trial import try_bots

STOPPED = 130
"""Exit code after Ctrl-C, as a shell gives it."""


class Ground(NamedTuple):
    """The sandbox that seats get: which backend, and what it promises on this machine."""

    backend: str
    level: Level


class StoppedError(Exception):
    """The person pressed Ctrl-C; everything is put away and can be gone on with."""


def play(
    settings: RunSettings, db: str, ground: Ground, console: Console, *, has_trial: bool = True
) -> StoredTournament:
    """Play a tournament, or go on with it, and give it back as stored at the end.

    Raises:
        ArenaError: what a person can mend.
        StoppedError: Ctrl-C.
    """
    entry = enter(settings)
    with _opened(db) as store:
        known = store.find(entry.tournament.name)
        if known is not None and settings.seed is None:
            entry = enter(settings, known.tournament.master)
        if known is None and has_trial:
            asyncio.run(_stoppable(_trial(entry, ground, console)))
        stored = _begin(store, entry, ground)
        if stored.state is State.FINISHED:
            console.print(f"[bold]{stored.tournament.name}[/] is finished; this is its result.")
            return stored
        with store.claim(stored.tournament.name):
            _announce(stored, entry, ground, console)
            asyncio.run(_stoppable(_play(store, stored, entry, ground, console)))
        finished = store.tournament(stored.tournament.name)
        _reveal(finished, console)
        return finished


@contextmanager
def _opened(db: str) -> Iterator[Store]:
    """The store; a file that was new and got no tournament is removed again."""
    with Store.open(db, create=True) as store:
        was_empty = not store.tournaments()
        try:
            yield store
        except BaseException:
            is_unused = was_empty and not store.tournaments()
            path = store.path
            store.close()
            if is_unused:
                for name in (path, Path(f"{path}-wal"), Path(f"{path}-shm")):
                    name.unlink(missing_ok=True)
            raise


def _begin(store: Store, entry: Entry, ground: Ground) -> StoredTournament:
    secret = secrets.token_bytes(32)
    terms = Terms(
        secret=secret,
        commitment=commitment(secret, entry.tournament.master),
        config=entry.settings.to_toml(),
        settings={
            "time_control": entry.control.to_dict(),
            "level": ground.level.value,
            "backend": ground.backend,
        },
    )
    for bundle in entry.bundles.values():
        store.add_version(bundle.version, bundle.data)
    return store.begin(entry.tournament, terms)


def _announce(stored: StoredTournament, entry: Entry, ground: Ground, console: Console) -> None:
    tournament = stored.tournament
    series = plan(tournament)
    matches = sum(len(one.matches) for one in series)
    tables = len({one.table for one in series})
    seats = tournament.variant.seats
    start = "Playing" if stored.is_new else "Going on with"
    target = tournament.variant.target
    goal = "a single round" if target is None else f"to {target}"
    console.print(
        f"{start} [bold]{tournament.name}[/]: {tournament.variant.name}, {seats} seats, {goal}\n"
        f"  {len(tournament.bots)} bots, {tables} tables x {tournament.deals} deals x {seats} "
        f"rotations = [bold]{matches}[/] matches on {entry.jobs} workers\n"
        f"  sandbox: [bold]{ground.level.value}[/] ({ground.backend})\n"
        f"  commitment to the deals: {stored.terms.commitment}",
        highlight=False,
        soft_wrap=True,
    )
    if ground.level is not Level.FULL:
        console.print(f"  [yellow]{WARNINGS[ground.level]}[/]", highlight=False, soft_wrap=True)


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


def _executor(entry: Entry, ground: Ground) -> LocalExecutor:
    config = LocalConfig(entry.jobs, ground.level, ground.backend, entry.bundles)
    return LocalExecutor(config)


async def _trial(entry: Entry, ground: Ground, console: Console) -> None:
    executor = _executor(entry, ground)
    with console.status("a trial round for each bot"):
        await executor.start()
        try:
            await try_bots(entry, executor, ground.level.value)
        finally:
            await executor.close()


async def _play(
    store: Store, stored: StoredTournament, entry: Entry, ground: Ground, console: Console
) -> None:
    name = stored.tournament.name
    executor = _executor(entry, ground)
    total = sum(len(series.matches) for series in plan(stored.tournament))
    with MatchProgress(console, total, total - len(store.pending(name))) as progress:
        await executor.start()
        try:
            conditions = Conditions(entry.control, ground.level.value)
            series = plan(stored.tournament)
            run = TournamentRun(store, stored.tournament, series, executor, conditions)
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


def print_error(console: Console, error: ArenaError) -> None:
    """An error in the middle of other output."""
    console.print(f"[red]error:[/] {escape(str(error))}", highlight=False, soft_wrap=True)

"""arena show: one match in the terminal, or the settings of a tournament."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from arena.cli.options import console, db_option, json_option, open_store, print_json
from arena.errors import ConfigError, StoreError

if TYPE_CHECKING:
    from arena.store import Store, StoredMatch, StoredTournament


@click.command()
@click.argument("match", required=False)
@db_option
@click.option("--tournament", metavar="NAME", help="The tournament that a number belongs to.")
@click.option("--round", "rounds", type=int, multiple=True, help="Only this round; repeatable.")
@click.option(
    "--config",
    is_flag=True,
    help="Print the settings of a tournament (give its name instead of a match).",
)
@json_option
def command(
    match: str | None, db: str, tournament: str | None, rounds: tuple[int, ...], **flags: bool
) -> None:
    """Show MATCH: its replay round by round, and what ended it.

    MATCH is the start of its id or its number, as `arena matches` prints them. With --config, print
    the settings that a tournament was started with.
    """
    with open_store(db) as store:
        if flags["config"]:
            _show_config(store, match or tournament, flags["as_json"])
            return
        if match is None:
            raise ConfigError("which match? `arena matches` lists them")
        stored = store.match(match, tournament)
    if flags["as_json"]:
        print_json(match_to_dict(stored))
        return
    _draw(stored, rounds)


def match_to_dict(stored: StoredMatch) -> dict[str, Any]:
    """JSON form of a match; the replay as the JSON value that it is."""
    return {
        **stored._asdict(),
        "verdict": None if stored.verdict is None else stored.verdict.to_dict(),
        "usage": [seat._asdict() for seat in stored.usage],
        "evidence": None if stored.evidence is None else stored.evidence.to_dict(),
        "replay": None if stored.replay is None else json.loads(stored.replay),
    }


def _draw(stored: StoredMatch, rounds: tuple[int, ...]) -> None:
    from dominobot.replay import ReplayError

    from arena.cli.render_replay import render_replay

    try:
        console().print(render_replay(stored, set(rounds) or None))
    except ReplayError as error:
        raise StoreError(
            f"match {stored.match_id}: the stored replay cannot be read ({error}); "
            f"see `arena verify {stored.match_id[:8]}`"
        ) from error


def _show_config(store: Store, name: str | None, as_json: bool) -> None:
    from arena.cli.words import clean

    stored = store.tournament(name)
    if as_json:
        print_json(_config_to_dict(stored))
        return
    lines = stored.terms.config.rstrip("\n").split("\n")
    click.echo("\n".join("\t".join(map(clean, line.split("\t"))) for line in lines))


def _config_to_dict(stored: StoredTournament) -> dict[str, Any]:
    master, secret = stored.tournament.master, stored.terms.secret
    return {
        "identity": stored.tournament.identity(),
        "settings": stored.terms.settings,
        "config": stored.terms.config,
        "state": stored.state.value,
        "commitment": stored.terms.commitment,
        "seed": master.hex() if stored.is_revealed else None,
        "secret": secret.hex() if stored.is_revealed else None,
        "chain_head": stored.chain_head,
        "created_at": stored.created_at,
        "finished_at": stored.finished_at,
    }

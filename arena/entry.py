"""From what a person asks for to a tournament that can be planned: bots packed, names checked."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import NamedTuple

from dominobot.errors import DominobotError
from dominobot.rules import RulesError, Variant

from arena.bundle import Bundle, pack
from arena.config import RunSettings
from arena.core.clock import TimeControl
from arena.core.schedule import Tournament
from arena.core.tables import default_limit
from arena.errors import ConfigError

_PLAYED = {
    *("options", "deals", "tables", "seed", "target"),
    *("move_time", "bank", "connect_time", "match_time"),
}
"""The settings that change what is played, beside the variant, the seats and the bots."""


class Entry(NamedTuple):
    """A tournament ready to be stored and played, with the bundles it needs by digest."""

    tournament: Tournament
    bundles: dict[str, Bundle]
    control: TimeControl
    settings: RunSettings

    @property
    def jobs(self) -> int:
        """How many workers play: as asked for, else one a core."""
        return self.settings.jobs or len(os.sched_getaffinity(0))


def enter(settings: RunSettings) -> Entry:
    """Pack the bots and check that they and the settings fit together.

    Raises:
        ConfigError, BundleError: what cannot be, in one line.
    """
    variant = make_variant(settings)
    bundles = [_pack(folder) for folder in settings.bots]
    for bundle in bundles:
        _check_fits(bundle, settings.variant, settings.seats)
    limit = _table_limit(settings, len(bundles))
    refs = tuple(bundle.version.ref for bundle in bundles)
    tournament = Tournament(
        name=settings.name or _default_name(settings, bundles),
        variant=variant,
        bots=refs,
        deals=settings.deals,
        tables=limit,
        master=settings.master_seed(),
    )
    control = TimeControl(
        move_s=settings.move_time,
        bank_s=settings.bank,
        connect_s=settings.connect_time,
        match_s=settings.match_time,
    )
    return Entry(tournament, {bundle.digest: bundle for bundle in bundles}, control, settings)


def make_variant(settings: RunSettings) -> Variant:
    """The variant that the settings name.

    Raises:
        ConfigError: no such variant or option, or an impossible deal.
    """
    options: dict[str, int | str | None] = dict(settings.options)
    if settings.target is not None:
        options["target"] = None if settings.target == "none" else settings.target
    try:
        return Variant.preset(settings.variant, seats=settings.seats, **options)
    except RulesError as error:
        raise ConfigError(str(error)) from None


def _pack(folder: str) -> Bundle:
    try:
        return pack(Path(folder))
    except DominobotError as error:
        raise ConfigError(str(error)) from None


def _check_fits(bundle: Bundle, variant: str, seats: int) -> None:
    manifest = bundle.manifest
    if variant not in manifest.variants:
        known = ", ".join(manifest.variants)
        raise ConfigError(
            f"{bundle.name} does not play {variant}: its bot.toml has variants {known}"
        )
    if seats not in manifest.seats:
        known = ", ".join(map(str, manifest.seats))
        raise ConfigError(
            f"{bundle.name} does not play at {seats} seats: its bot.toml has seats {known}"
        )


def _table_limit(settings: RunSettings, n_bots: int) -> int | None:
    if settings.tables == "all":
        return None
    if settings.tables is not None:
        return settings.tables
    return default_limit(n_bots, settings.seats)


def _default_name(settings: RunSettings, bundles: list[Bundle]) -> str:
    """A name that the same command finds again, and that changes with what is played."""
    played = settings.model_dump(include=_PLAYED)
    digests = sorted(bundle.digest for bundle in bundles)
    text = json.dumps([played, digests], sort_keys=True)
    short = hashlib.sha256(text.encode()).hexdigest()[:6]
    return f"{settings.variant}-{settings.seats}p-{short}"

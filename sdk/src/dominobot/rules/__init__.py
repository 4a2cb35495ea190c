"""The rules of dominoes: one engine for arena, bots, replays and pages. Needs nothing else."""

from dominobot.rules.chance import Chance
from dominobot.rules.deal import bot_seed, commitment, deal_seed, round_deck, shuffled_deck
from dominobot.rules.errors import DealError, IllegalPlay, MissingDeck, RulesError, VariantError
from dominobot.rules.events import (
    Drew,
    Event,
    Passed,
    Played,
    RoundEnd,
    RoundEnding,
    RoundLog,
    RoundStart,
    Turn,
)
from dominobot.rules.match import Decision, Match, MatchResult
from dominobot.rules.moves import Draw, End, Move, Pass, Play
from dominobot.rules.play import Chooser, play_decks, random_chooser
from dominobot.rules.round import Round
from dominobot.rules.tiles import ALL_TILES, Tile, mask_of, pips_of, reduce_box, tiles_of
from dominobot.rules.variant import PRESETS, Variant
from dominobot.rules.version import ENGINE
from dominobot.rules.view import View, ViewTracker

__all__ = [
    "ALL_TILES",
    "ENGINE",
    "PRESETS",
    "Chance",
    "Chooser",
    "DealError",
    "Decision",
    "Draw",
    "Drew",
    "End",
    "Event",
    "IllegalPlay",
    "Match",
    "MatchResult",
    "MissingDeck",
    "Move",
    "Pass",
    "Passed",
    "Play",
    "Played",
    "Round",
    "RoundEnd",
    "RoundEnding",
    "RoundLog",
    "RoundStart",
    "RulesError",
    "Tile",
    "Turn",
    "Variant",
    "VariantError",
    "View",
    "ViewTracker",
    "bot_seed",
    "commitment",
    "deal_seed",
    "mask_of",
    "pips_of",
    "play_decks",
    "random_chooser",
    "reduce_box",
    "round_deck",
    "shuffled_deck",
    "tiles_of",
]

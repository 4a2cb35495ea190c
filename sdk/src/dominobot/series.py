"""The bot's side of a series as a machine: a message of the arena in, a message for it out.

It knows nothing of sockets and clocks, so tests drive it with messages alone. Each game has a bot
object of its own; several games may be in flight.
"""

from __future__ import annotations

from dominobot.bot import Bot, GameInfo, GameResult
from dominobot.errors import WireError
from dominobot.seat import SeatedBot
from dominobot.wire import codec
from dominobot.wire.v1 import match_pb2 as pb


class Series:
    """Plays the games of one series with objects of ``bot_class``.

    ``goodbye`` is None until the arena has ended the series, then its reason.
    """

    def __init__(self, bot_class: type[Bot]) -> None:
        self.goodbye: str | None = None
        self._bot_class = bot_class
        self._games: dict[int, SeatedBot] = {}

    def reply(self, message: pb.PlayResponse) -> pb.PlayRequest | None:
        """What the bot says to a message; None if nothing is expected.

        Raises WireError if the message makes no sense, and whatever the bot's own code raises.
        """
        body = message.WhichOneof("body")
        if body == "questions":
            answers = [self._answer(question) for question in message.questions.questions]
            return pb.PlayRequest(answers=pb.Answers(answers=answers))
        if body == "game_start":
            return self._start(message.game_start)
        if body == "game_end":
            return self._end(message.game_end)
        if body == "goodbye":
            self.goodbye = message.goodbye.reason
            return None
        if body == "welcome":
            return None
        raise WireError("a message of a kind unknown to this library: a newer one may be needed")

    def _start(self, start: pb.GameStart) -> pb.PlayRequest:
        info = GameInfo(codec.read_variant(start.variant), start.seat, start.bot_seed)
        self._games[start.game_id] = SeatedBot(self._bot_class, info)
        return _ready(start.game_id)

    def _answer(self, question: pb.Question) -> pb.Answer:
        asked = codec.read_question(question)
        play = self._game(asked.game_id).choose(asked.events, asked.moment)
        return codec.answer(asked.decision_id, play)

    def _end(self, end: pb.GameEnd) -> pb.PlayRequest:
        game = self._game(end.game_id)
        result = GameResult(
            seat=game.seat,
            termination=end.termination,
            ranks=tuple(end.ranks),
            totals=tuple(end.totals),
            faulty_seat=end.faulty_seat if end.HasField("faulty_seat") else None,
        )
        game.end(codec.read_events(end.events), result)
        del self._games[end.game_id]
        return _ready(end.game_id)

    def _game(self, game_id: int) -> SeatedBot:
        game = self._games.get(game_id)
        if game is None:
            raise WireError(f"a message about game {game_id}, which is not in progress")
        return game


def _ready(game_id: int) -> pb.PlayRequest:
    return pb.PlayRequest(ready=pb.Ready(game_id=game_id))

"""Messages of every release are still understood, and the newest are still written the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from dominobot.rules import Passed
from dominobot.wire import codec
from dominobot.wire.v1 import match_pb2 as pb
from google.protobuf import text_format
from google.protobuf.message import Message

from tests.golden.wire.messages import FILES, line_of, messages

STORED = [json.loads(line) for file in FILES for line in file.read_text().splitlines()]


def parsed(stored: dict[str, Any]) -> Message:
    kind: type[Message] = getattr(pb, stored["message"])
    return kind.FromString(bytes.fromhex(stored["bytes"]))


@pytest.mark.parametrize("stored", STORED, ids=lambda stored: stored["name"])
def test_a_stored_message_still_says_what_it_said(stored: dict[str, Any]) -> None:
    assert text_format.MessageToString(parsed(stored), as_one_line=True) == stored["text"]


def test_the_newest_release_is_written_byte_by_byte_as_stored() -> None:
    written = [line_of(*each) for each in messages()]
    assert written == FILES[-1].read_text().splitlines()


def test_every_kind_of_message_and_event_is_stored() -> None:
    bodies = {parsed(stored).WhichOneof("body") for stored in STORED}
    expected = {
        field.name for kind in (pb.PlayRequest, pb.PlayResponse) for field in kind.DESCRIPTOR.fields
    }
    assert bodies == expected
    text = Path(FILES[-1]).read_text()
    for event in pb.Event.DESCRIPTOR.fields:
        assert f"{event.name} {{" in text
    for name in (*pb.End.keys()[1:], *pb.RoundEnding.keys()[1:]):
        assert name in text


def test_stored_questions_are_understood_by_the_bots_side() -> None:
    asked = [
        codec.read_question(question)
        for stored in STORED
        if stored["message"] == "PlayResponse"
        for question in pb.PlayResponse.FromString(
            bytes.fromhex(stored["bytes"])
        ).questions.questions
    ]
    assert len(asked) > 5
    assert all(len(each.moment.legal) > 1 for each in asked)
    assert any(isinstance(event, Passed) for each in asked for event in each.events)

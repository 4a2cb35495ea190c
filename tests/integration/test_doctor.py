"""arena doctor on this machine."""

from __future__ import annotations

import io
import json

import pytest
from click.testing import CliRunner, Result
from rich.console import Console

from arena.cli import doctor
from arena.sandbox.base import Level
from arena.sandbox.probe import Finding, Report, level_of
from tests.integration.sandbox_kit import as_an_ordinary_user
from tests.support import need


def run(*arguments: str) -> Result:
    return CliRunner().invoke(doctor.command, list(arguments), catch_exceptions=False)


@pytest.mark.sandbox
def test_everything_is_as_it_should_be_at_full() -> None:
    need(Level.FULL)
    result = run("--json", "--require", "full")
    report = json.loads(result.output)
    assert [f for f in report["findings"] if f["state"] == "fail"] == []
    assert (report["level"], report["is_met"], result.exit_code) == ("full", True, 0)
    names = {finding["name"] for finding in report["findings"]}
    assert {"memory limit", "process limit", "cpu share", "freeze", "kill", "no network"} <= names
    assert {"swap", "core dumps", "matches at once", "other ABIs", "open files"} <= names


@pytest.mark.sandbox
def test_the_page_for_people_says_the_level_and_what_was_seen() -> None:
    need(Level.FULL)
    result = run()
    assert "Sandbox level: full" in result.output
    assert "a hog of 64 MiB is killed, and counted" in result.output


@pytest.mark.sandbox
def test_below_the_required_level_the_exit_code_says_so() -> None:
    need(Level.PRACTICE)
    tried = as_an_ordinary_user("-m", "arena", "doctor", "--require", "full")
    assert tried.returncode == 2, tried.stderr
    assert "Sandbox level: practice" in tried.stdout
    assert "each seat needs a user of its own: run the arena as root" in tried.stdout
    assert "Level full is required, and this is not it." in tried.stdout
    tried = as_an_ordinary_user("-m", "arena", "doctor", "--require", "practice", "--json")
    assert tried.returncode == 0
    assert json.loads(tried.stdout)["is_met"]


def test_what_fails_is_shown_with_the_way_out() -> None:
    findings = (
        Finding("cgroups", "fail", "none to be had", "full", "mount them"),
        Finding("links", "warn", "followed", None, "protect them", "host"),
        Finding("a seat starts", "ok", "it does", "practice", area="isolation"),
    )
    page = shown(Report(Level.PRACTICE, findings))
    assert "for bots you trust" in page
    assert page.index("cgroups: none to be had") < page.index("links: followed")
    assert "-> mount them" in page


def test_no_sandbox_at_all_is_said_with_what_will_happen() -> None:
    report = Report(None, (Finding("why not practice", "fail", "no namespaces", "practice"),))
    page = shown(report)
    assert "Sandbox level: none" in page
    assert "arena run will refuse" in page


def test_a_level_is_what_none_of_its_needs_failed_for() -> None:
    good = Finding("a", "ok", "", "practice")
    full = Finding("b", "fail", "", "full")
    worse = Finding("c", "fail", "", "practice")
    assert level_of([good]) is Level.FULL
    assert level_of([good, full]) is Level.PRACTICE
    assert level_of([good, full, worse]) is None
    assert level_of([Finding("d", "fail", "no level needs it")]) is Level.FULL


def shown(report: Report) -> str:
    screen = Console(width=100, file=io.StringIO())
    screen.print(doctor.render_report(report, screen))
    assert isinstance(screen.file, io.StringIO)
    return screen.file.getvalue()

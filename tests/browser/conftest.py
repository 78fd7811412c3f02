"""A real Kndl with its sample memory, and Chromium in front of it. What a page does wrong in silence is a failure."""

import contextlib
import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.instances import ROOT, Instance

SCREENSHOTS = ROOT / "artifacts" / "screenshots"
WIDTHS = {"narrow": 360, "wide": 1280}
THEMES: tuple[Literal["light"], Literal["dark"]] = ("light", "dark")
OWNER_EMAIL = "mirel@northmere.example"
OWNER_PASSWORD = "four clinics and a ledger"
# Chromium looks up addresses of its own at every start unless it is told not to.
_FLAGS = [
    "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


@dataclass
class Watched:
    """A tab and what went wrong in it: errors of scripts, breaches of the policy, requests to other hosts."""

    page: Page
    home: str
    faults: list[str] = field(default_factory=list)
    expected: list[str] = field(default_factory=list)

    def watch(self) -> None:
        """Listen from now on."""
        self.page.on("console", lambda said: self._console(said.type, said.text))
        self.page.on("pageerror", lambda error: self.faults.append(f"script: {error}"))
        self.page.on("request", lambda request: self._request(request.url))

    def expect(self, pattern: str) -> None:
        """Let a fault pass that the test brings about itself, such as a refusal."""
        self.expected.append(pattern)

    def unexpected(self) -> list[str]:
        """What went wrong and was not brought about."""
        return [fault for fault in self.faults if not any(re.search(pattern, fault) for pattern in self.expected)]

    def _console(self, kind: str, text: str) -> None:
        if kind in {"error", "warning"} or "Content Security Policy" in text:
            self.faults.append(f"console: {text}")

    def _request(self, url: str) -> None:
        if not url.startswith((self.home + "/", "data:", "blob:")):
            self.faults.append(f"request to another host: {url}")


@pytest.fixture(scope="session")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Instance]:
    """`manage.py up --demo` in a folder of its own."""
    with Instance(tmp_path_factory.mktemp("instance") / "data", "--demo") as instance:
        yield instance


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """The machine's own Chromium.

    It is closed before tests of other kinds go on, since Django refuses to use a database beside its event loop.
    """
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    assert program, "the marker `browser` is there to skip these tests where there is no Chromium"
    flags = [*_FLAGS, "--no-sandbox"] if os.geteuid() == 0 else _FLAGS
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=program, args=flags)
        yield running
        with contextlib.suppress(Exception):
            running.close()


@pytest.fixture(scope="package")
def signed_in(up: Instance, browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The cookies of the owner, who came by the one-time link."""
    link = up.owner_link
    assert link is not None
    context = browser.new_context()
    page = context.new_page()
    page.goto(link)
    page.get_by_label("Name").fill("Mirel Oskander")
    page.get_by_label("E-mail").fill(OWNER_EMAIL)
    page.get_by_label("Password").fill(OWNER_PASSWORD)
    page.get_by_role("button", name="Join").click()
    page.wait_for_url(re.compile("/spaces/demo/"))
    kept = tmp_path_factory.mktemp("cookies") / "owner.json"
    context.storage_state(path=kept)
    context.close()
    return kept


@pytest.fixture
def context(browser: Browser, signed_in: Path) -> Iterator[BrowserContext]:
    """A window of the owner's."""
    made = browser.new_context(
        storage_state=signed_in,
        viewport={"width": WIDTHS["wide"], "height": 900},
        reduced_motion="reduce",
        locale="en-GB",
    )
    made.set_default_timeout(10_000)
    yield made
    made.close()


@pytest.fixture
def tab(context: BrowserContext, up: Instance) -> Iterator[Watched]:
    """A tab of the owner's; fails at the end for what went wrong in it and was not expected."""
    watched = Watched(context.new_page(), up.url)
    watched.watch()
    yield watched
    assert watched.unexpected() == []

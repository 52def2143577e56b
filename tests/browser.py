"""A real browser for the pages: Chromium without a window, which complains about what a reader would not see."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}


@pytest.fixture(scope="module")  # not longer: while it lives, its thread has an event loop, which others do not expect
def chromium() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("there is no Chromium: `apt install chromium`, or `make browser`")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def visit(chromium: Any) -> Iterator[Callable[..., Any]]:
    """Opens a file in a fresh window; at the end there must have been no error and no request beside the file."""
    contexts, troubles = [], []

    def open_file(path: Path, **options: Any) -> Any:
        context = chromium.new_context(**options)
        context.set_default_timeout(120_000)  # a slow machine is no failure
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: troubles.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: troubles.append(f"error: {error}"))
        page.on("request", lambda request: request.url != path.as_uri() and troubles.append(f"asks for {request.url}"))
        page.goto(path.as_uri())
        return page

    yield open_file
    for context in contexts:
        context.close()
    assert not troubles


@pytest.fixture
def phone() -> dict[str, Any]:
    """What a small window with a touch screen is opened with."""
    return dict(PHONE)

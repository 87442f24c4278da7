"""A headless Chromium that looks at pages, and what it saw: messages, requests, widths."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

_OPTIONS = """--headless --no-sandbox --disable-gpu --disable-quic --no-first-run
--disable-background-networking --disable-component-update --disable-sync"""


class Browser:
    """Opens pages from files; `driver` is selenium's."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def open(self, path: Path, anchor: str = "", *, width: int = 1280, dark: bool = False) -> None:
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": scheme})
        self.driver.get("about:blank")  # so that an anchor of the same page is a new page too
        self.driver.get(path.as_uri() + anchor)
        # It may come back before the scripts of the page have run.
        self.wait("return location.protocol === 'file:' && document.readyState === 'complete'")

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def wait(self, script: str, seconds: float = 60) -> Any:
        """What the script returns as soon as it is something."""
        from selenium.webdriver.support.ui import WebDriverWait

        waiting = WebDriverWait(self.driver, seconds, poll_frequency=0.05)
        return waiting.until(lambda driver: driver.execute_script(script))

    def messages(self) -> list[str]:
        """What the console said since it was last asked."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self) -> list[str]:
        """The addresses that pages asked for since it was last asked, and were not denied."""
        entries = [json.loads(e["message"])["message"] for e in self.driver.get_log("performance")]
        sent = [e["params"] for e in entries if e["method"] == "Network.requestWillBeSent"]
        failed = [e["params"] for e in entries if e["method"] == "Network.loadingFailed"]
        denied = {params["requestId"] for params in failed if params.get("blockedReason") == "csp"}
        return [params["request"]["url"] for params in sent if params["requestId"] not in denied]


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser with nothing in its profile; where there is none the test skips."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium drives the browser")
    program, helper = shutil.which("chromium"), shutil.which("chromedriver")
    if program is None or helper is None:
        pytest.skip("chromium and chromedriver are not installed")
    with tempfile.TemporaryDirectory() as profile:
        options = webdriver.ChromeOptions()
        options.binary_location = program
        for option in [*_OPTIONS.split(), f"--user-data-dir={profile}"]:
            options.add_argument(option)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        driver = webdriver.Chrome(options, webdriver.ChromeService(helper))
        # A headless window may be without focus, and then no element of a page gets the event.
        driver.execute_cdp_cmd("Emulation.setFocusEmulationEnabled", {"enabled": True})
        driver.get("about:blank")
        driver.get_log("performance")  # what the browser opened by itself
        try:
            yield Browser(driver)
        finally:
            driver.quit()

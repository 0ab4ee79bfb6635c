"""The page in a browser: it opens, sorts and filters, and nothing of a tree becomes markup or script."""

from __future__ import annotations

import os
import shutil
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from retire_model.command import run
from retire_model.survey.history import Release
from retire_model.survey.page import history_page
from tests.retire_model.survey.toy_survey import MODELS, ToyTrees

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HOSTILE = "\u202e</script><script>document.title='taken'</script><img src=x onerror=document.title='taken'>&amp;"
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --window-size=1280,900"
)
WIDER = "return [...document.querySelectorAll('.plot')].filter(plot => plot.scrollWidth > plot.clientWidth).length"
COVERED = "const box = arguments[0].getBoundingClientRect(); return document.elementFromPoint(box.x + 9, box.y + 9)"


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RETIRE_MODEL_CACHE", str(tmp_path / "cache"))
    toy = ToyTrees(tmp_path)
    toy.change(f"{MODELS}/registry.py", '"OtherForCausalLM":', f'"{HOSTILE}":')
    toy.change(f"{MODELS}/registry.py", '("twin", ', f'("{HOSTILE}", ')
    toy.write(f"{MODELS}/user.py", "from .toy import ToyForCausalLM\n")
    file = tmp_path / "survey.html"
    assert run(["survey", *toy.options, "--html", str(file)]) == 1
    return file


def test_it_is_one_page_and_escaped(page: Path) -> None:
    text = page.read_text()
    assert HOSTILE not in text
    assert "&lt;/script&gt;" in text
    assert "http" not in text.replace("http-equiv", "")
    assert text.count("<script>") == 1


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Any]:
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if chromium is None or driver is None:
        missing = "no Chromium here: apt-get install chromium chromium-driver"
        pytest.fail(missing) if os.environ.get("CI") else pytest.skip(missing)
    webdriver = pytest.importorskip("selenium.webdriver", reason="no selenium here: pip install selenium")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in FLAGS.split():
        options.add_argument(flag)
    options.add_argument(f"--user-data-dir={tmp_path / 'profile'}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    opened = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    yield opened
    opened.quit()


def shown(browser: Any) -> list[str]:
    return [
        row.get_attribute("data-module")
        for row in browser.find_elements("css selector", ".models tbody tr")
        if row.is_displayed()
    ]


def test_in_chromium(page: Path, browser: Any) -> None:
    browser.get(page.as_uri())
    assert sorted(shown(browser)) == ["other", "toy"]
    assert browser.title.startswith("Models of vLLM")
    assert browser.find_element("id", "shown").text.startswith("2 of 2 models")

    button = browser.find_element("css selector", "th[data-key=module] button")
    button.click()
    assert shown(browser) == ["other", "toy"]
    # Sorted again from the keyboard.
    button.send_keys("\ue007")
    assert shown(browser) == ["toy", "other"]

    search = browser.find_element("id", "filter-text")
    search.send_keys("ToyFor")
    assert shown(browser) == ["toy"]
    search.clear()
    search.send_keys("nothing is called so")
    assert shown(browser) == []
    # A link to a row that is filtered away brings it back, open.
    row = browser.find_element("css selector", "tr[data-module=toy]").get_attribute("id")
    browser.execute_script(f"location.hash = '{row}'")
    assert browser.find_element("css selector", f"#{row} details[open]").is_displayed()
    # The headings, which stay in place, do not cover it.
    summary = browser.find_element("css selector", f"#{row} summary")
    assert browser.execute_script(COVERED, summary) == summary
    # A name that turns the direction of writing round stays by itself.
    style = "return getComputedStyle(arguments[0]).unicodeBidi"
    assert browser.execute_script(style, summary) == "isolate"

    node = browser.find_element("css selector", ".graph g[data-node='0']")
    browser.execute_script("arguments[0].focus()", node)
    assert browser.find_elements("css selector", ".graph path.near")
    assert browser.title.startswith("Models of vLLM")
    assert browser.get_log("browser") == []


def test_on_a_phone_nothing_is_cut_off(page: Path, browser: Any) -> None:
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride", {"width": 360, "height": 700, "deviceScaleFactor": 1, "mobile": True}
    )
    browser.get(page.as_uri())
    assert browser.execute_script("return document.documentElement.scrollWidth") <= 360
    # There the headings are out of sight: rows are sorted by a choice of its own.
    browser.find_element("id", "sort").send_keys("model")
    assert shown(browser) == ["other", "toy"]
    assert browser.get_log("browser") == []


def test_on_paper_it_is_a_table(page: Path, browser: Any) -> None:
    browser.set_window_size(700, 900)
    browser.get(page.as_uri())
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    row = browser.find_element("css selector", ".models tr[data-module=toy]")
    assert row.value_of_css_property("display") == "table-row"
    assert not browser.find_element("id", "filter-text").is_displayed()
    browser.execute_script("dispatchEvent(new Event('beforeprint'))")
    assert browser.find_elements("css selector", ".models details[open]") == []


def test_a_history_on_a_phone(tmp_path: Path, browser: Any) -> None:
    releases = [Release(f"0.{minor}.0", 260, 193_654 + minor, 347, 2, 21) for minor in range(20, 34)]
    file = tmp_path / "history.html"
    file.write_text(history_page(releases))
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride", {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    )
    browser.get(file.as_uri())
    assert browser.execute_script(WIDER) == 0
    values = [value.rect for value in browser.find_elements("css selector", ".plot .value")]
    assert all(a["y"] + a["height"] <= b["y"] + 1 for a, b in pairwise(values))
    assert browser.get_log("browser") == []

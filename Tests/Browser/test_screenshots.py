"""Pictures of the page, for eyes and for the documentation, into the folder that PROXYD_SCREENSHOTS
names: each view at three sizes, light and dark."""

import importlib.util
import os
import threading
import unittest
from pathlib import Path

from playwright.sync_api import expect

from pages import PageCase
from rig import ROOT

FOLDER = os.environ.get("PROXYD_SCREENSHOTS")
SIZES = {360: 740, 1280: 720, 3840: 2100}
# The widths that are drawn; all by default.
WIDTHS = [int(text) for text in os.environ.get("PROXYD_SCREENSHOT_WIDTHS", "").split()] or list(SIZES)
ORDER = "/v2/orders"
# What differs from run to run becomes what users see.
REPLACE = """(pairs) => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const node = walker.currentNode;
        for (const [from, to] of pairs) if (node.data.includes(from)) node.data = node.data.replaceAll(from, to);
    }
}"""


def documentation():
    """docs/screenshots.py, which makes up a shop's traffic."""
    place = ROOT / "docs" / "screenshots.py"
    spec = importlib.util.spec_from_file_location("documentation", place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@unittest.skipUnless(FOLDER, "PROXYD_SCREENSHOTS names no folder")
class ScreenshotTests(PageCase):
    @classmethod
    def prepare(cls):
        shop = documentation()
        cls.rig.import_rows(shop.traffic())
        before = cls.rig.api("GET", "/rules/file")[2]["text"]
        cls.rig.api("PUT", "/rules/file", {"text": shop.RULES + HELD, "before": before})
        cls.rig.api("POST", "/holds/take", {"on": True})
        Path(FOLDER).mkdir(parents=True, exist_ok=True)

    def test_every_view_at_every_size(self):
        for width in WIDTHS:
            for scheme in ("light", "dark"):
                with self.subTest(width=width, scheme=scheme):
                    self.hold_two()
                    self.draw_all(width, scheme)
                    self.rig.api("POST", "/holds/resume-all")

    def hold_two(self):
        for number in (7, 8):
            threading.Thread(
                target=self.rig.send, args=(f"/held/orders/{number}", "POST", b'{"amount":7}')).start()

    def draw_all(self, width, scheme):
        context = self.new_context(
            viewport={"width": width, "height": SIZES[width]}, color_scheme=scheme,
            timezone_id="UTC", reduced_motion="reduce")
        self.page = self.open_page(context)
        self.grid = self.page.get_by_role("grid", name="Exchanges")
        self.suffix = f"{width}-{scheme}.png"
        expect(self.page.get_by_role("button", name="Holds 2")).to_be_visible()
        self.filter("host:shop.test")
        self.grid.focus()
        self.press("End", *["k"] * 5)
        self.take("list")
        self.draw_exchange()
        self.draw_diff()
        for view in ("Tree", "Waterfall", "Summary", "Rules"):
            self.view(view)
            self.take(view.lower())
        self.view("List")
        self.page.get_by_role("button", name="Holds 2").click()
        self.take("holds")
        context.close()

    def draw_exchange(self):
        region = self.open_path(ORDER)
        self.filter("host:shop.test")
        for tab in region.get_by_role("tab").all():
            tab.click()
            self.take(f"exchange-{tab.inner_text().lower()}")
        region.get_by_role("button", name="Edit and send").click()
        self.take("composer")
        self.press("Escape")
        region.get_by_role("button", name="Close exchange").click()

    def draw_diff(self):
        self.filter("path=/v2/orders/1042")
        expect(self.grid.get_by_role("row")).to_have_count(3)
        self.grid.focus()
        self.press("Home", "m", "m", "D")
        expect(self.page.get_by_role("dialog").get_by_role("row").nth(3)).to_be_visible()
        self.take("diff")
        self.press("Escape", "Escape")
        self.filter("host:shop.test")
        expect(self.grid.get_by_role("row").nth(5)).to_be_visible()

    def take(self, name):
        """Draws the page, once nothing is being read any more."""
        self.page.wait_for_timeout(350)
        self.page.evaluate(REPLACE, [
            [self.rig.folder, "/var/lib/proxyd"], [self.rig.daemon.address, "127.0.0.1:8080"],
            [self.rig.origin_url, "http://pay.shop.test"],
        ])
        self.page.screenshot(path=f"{FOLDER}/{name}-{self.suffix}")


HELD = """
[[rule]]
name = "look first"
when = 'path:/held/'
request = [{ hold = true, timeout_s = 600 }]
"""

if __name__ == "__main__":
    unittest.main()

"""Pictures of the page, for eyes and for the documentation, into the folder that PROXYD_SCREENSHOTS
names: each view and each state at five widths, light and dark."""

import importlib.util
import os
import threading
import unittest
from pathlib import Path

from playwright.sync_api import expect

from pages import PageCase
from rig import ROOT
from test_states import EVENTS, refuse_rows

FOLDER = os.environ.get("PROXYD_SCREENSHOTS")
SIZES = {360: 740, 800: 600, 1280: 720, 1920: 1080, 3840: 2100}
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
HELD = """
[[rule]]
name = "look first"
when = 'path:/held/'
request = [{ hold = true, timeout_s = 600 }]
"""


def documentation():
    """docs/screenshots.py, which makes up a shop's traffic."""
    place = ROOT / "docs" / "screenshots.py"
    spec = importlib.util.spec_from_file_location("documentation", place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class PictureCase(PageCase):
    """Draws pages of each size and theme."""

    def draw_each_size(self, draw):
        for width in WIDTHS:
            for scheme in ("light", "dark"):
                self.suffix = f"{width}-{scheme}.png"
                options = {
                    "viewport": {"width": width, "height": SIZES[width]}, "color_scheme": scheme,
                    "timezone_id": "UTC", "reduced_motion": "reduce", "has_touch": width == 360}
                with self.subTest(width=width, scheme=scheme):
                    context = self.new_context(**options)
                    draw(context, width)
                    context.close()

    def open(self, context, wait_for="Exchanges"):
        self.page = context.new_page()
        self.page.goto(self.rig.web.address)
        self.grid = self.page.get_by_role("grid", name="Exchanges")
        if wait_for:
            expect(self.page.get_by_role("grid", name=wait_for).get_by_role("row").nth(1)).to_be_visible()

    def button(self, name):
        return self.page.get_by_role("button", name=name).first

    def take(self, name):
        """Draws the page, once nothing is being read any more."""
        self.page.wait_for_timeout(350)
        self.page.evaluate(REPLACE, [
            [self.rig.folder, "/var/lib/proxyd"], [self.rig.daemon.address, "127.0.0.1:8080"],
            [self.rig.origin_url, "http://pay.shop.test"],
        ])
        self.page.screenshot(path=f"{FOLDER}/{name}-{self.suffix}")


@unittest.skipUnless(FOLDER, "PROXYD_SCREENSHOTS names no folder")
class ScreenshotTests(PictureCase):
    @classmethod
    def prepare(cls):
        shop = documentation()
        cls.rig.import_rows(shop.traffic())
        before = cls.rig.api("GET", "/rules/file")[2]["text"]
        cls.rig.api("PUT", "/rules/file", {"text": shop.RULES + HELD, "before": before})
        cls.rig.api("POST", "/holds/take", {"on": True})
        Path(FOLDER).mkdir(parents=True, exist_ok=True)

    def test_every_view_at_every_size(self):
        self.draw_each_size(self.draw_all)

    def draw_all(self, context, width):
        self.open(context)
        self.filter("host:shop.test")
        self.draw_list()
        self.draw_exchange(width)
        self.draw_diff()
        self.draw_views()
        self.draw_dialogs()
        self.hold_two()
        self.draw_holds()
        self.rig.api("POST", "/holds/resume-all")

    def hold_two(self):
        for number in (7, 8):
            threading.Thread(
                target=self.rig.send, args=(f"/held/orders/{number}", "POST", b'{"amount":7}')).start()

    def draw_list(self):
        self.grid.focus()
        self.press("End", *["k"] * 5, "m", "k")
        self.take("list")
        self.page.keyboard.press("ContextMenu")
        self.take("list-menu")
        self.press("Escape", "U")
        self.button("4xx").click()
        self.button("5xx").click()
        self.take("list-chips")
        self.button("Saved filters").click()
        self.take("list-saved-filters")
        self.press("Escape")
        self.filter("host:shop.test")
        bar = self.page.get_by_role("searchbox", name="Filter", exact=True)
        bar.press("End")
        bar.press_sequentially(" stat")
        expect(self.page.get_by_role("option").first).to_be_visible()
        self.take("list-completion")
        self.filter("host:shop.test (status=404 or")
        expect(self.page.get_by_role("alert").filter(has_text="column")).to_be_visible()
        self.take("list-mistake")
        self.filter("host:shop.test")

    def draw_exchange(self, width):
        region = self.open_path(ORDER)
        self.filter("host:shop.test")
        for tab in region.get_by_role("tab").all():
            tab.focus()
            self.press("Enter")
            self.take(f"exchange-{tab.inner_text().lower().replace(' ', '-')}")
        region.get_by_role("tab").first.click()
        if width > 640:
            for place in ("below", "alone", "right"):
                self.page.keyboard.press("O")
                self.take(f"exchange-place-{place}")
        region.get_by_role("button", name="Edit and send").click()
        expect(self.page.get_by_role("dialog")).to_be_visible()
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

    def draw_views(self):
        for view in ("Tree", "Waterfall", "Summary", "Rules"):
            self.view(view)
            self.take(view.lower())
        self.view("List")

    def draw_dialogs(self):
        self.grid.focus()
        self.press("End")
        for key, name in (("?", "help"), ("C", "columns"), ("X", "export"), ("z", "delete"), ("n", "new-request"), ("A", "rule-form"), ("V", "compare-sets")):
            self.press(key)
            expect(self.page.get_by_role("dialog").first).to_be_visible()
            self.take(name)
            self.press("Escape")
            expect(self.page.get_by_role("dialog")).to_have_count(0)
        self.press("o")
        self.take("sort-menu")
        self.press("Escape")

    def draw_holds(self):
        self.button("Holds 2").click()
        self.take("holds")
        self.page.get_by_role("region", name="Holds").get_by_role("button", name="Hold ").first.click()
        self.take("holds-editor")
        self.button("Holds 2").click()


@unittest.skipUnless(FOLDER, "PROXYD_SCREENSHOTS names no folder")
class StateScreenshotTests(PictureCase):
    """What the page says when there is nothing to show, or nothing new comes."""

    def test_every_state_at_every_size(self):
        Path(FOLDER).mkdir(parents=True, exist_ok=True)
        self.draw_each_size(self.draw_states)

    def draw_states(self, context, _):
        context.add_init_script(f"({EVENTS})()")
        self.open(context)
        self.draw_no_result()
        self.draw_lost(context)
        self.draw_unreadable()
        self.draw_token_page()

    def draw_no_result(self):
        self.filter("path=/nowhere")
        expect(self.page.get_by_role("heading", name="No exchange passes")).to_be_visible()
        self.take("state-no-result")
        self.filter("")

    def draw_lost(self, context):
        status = self.rig.api("GET", "/status")[2]
        self.send_status({**status, "daemon": False, "recording": False, "addresses": []})
        self.take("state-daemon-gone")
        self.send_status({**status, "recording": False, "recording_stopped_because": "the disk is full"})
        self.take("state-not-recording")
        self.send_status({**status, "daemon": False, "exchanges": None, "store_bytes": None, "addresses": []})
        self.take("state-store-gone")
        context.set_offline(True)
        self.page.evaluate("() => window.endEvents()")
        expect(self.page.get_by_role("alert").filter(has_text="has ended")).to_be_visible()
        self.take("state-server-gone")
        context.set_offline(False)

    def send_status(self, status):
        self.page.evaluate("(status) => window.sendEvent('status', status)", status)

    def draw_unreadable(self):
        answers = {
            "state-failing": (500, "captures.sqlite: the database disk image is malformed"),
            "state-no-permission": (403, "/var/lib/proxyd/captures.sqlite: permission denied"),
        }
        for name, (status, detail) in answers.items():
            refuse_rows(self.page, status, detail)
            self.page.reload()
            expect(self.page.get_by_role("main").get_by_role("heading").first).to_be_visible()
            self.take(name)
            self.page.unroute_all()
        self.page.route("**/api/v1/exchanges?*", lambda route: None)
        self.page.reload()
        expect(self.grid).to_be_visible()
        self.take("state-loading")
        self.page.unroute_all(behavior="ignoreErrors")

    def draw_token_page(self):
        self.page.evaluate("() => sessionStorage.clear()")
        self.page.reload()
        expect(self.page.get_by_role("textbox")).to_be_visible()
        self.take("state-token")
        self.page.get_by_role("textbox").fill("no token")
        self.press("Enter")
        self.take("state-token-wrong")


@unittest.skipUnless(FOLDER, "PROXYD_SCREENSHOTS names no folder")
class FirstScreenshotTests(PictureCase):
    has_rows = False

    @classmethod
    def prepare(cls):
        pass

    def test_the_first_page_at_every_size(self):
        Path(FOLDER).mkdir(parents=True, exist_ok=True)
        self.draw_each_size(self.draw_first)

    def draw_first(self, context, _):
        self.open(context, None)
        expect(self.page.get_by_role("heading", name="Nothing is recorded yet")).to_be_visible()
        self.take("state-first")
        for view in ("Tree", "Summary", "Rules"):
            self.view(view)
            self.take(f"state-first-{view.lower()}")


if __name__ == "__main__":
    unittest.main()

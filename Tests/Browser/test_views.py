"""The waterfall, the summary and the tree."""

import re
import unittest

from playwright.sync_api import expect

from pages import PageCase
from test_screenshots import documentation

HOUR = 3_600_000
HELD_MS = 4_000
SLOW_MS = 60_000


def traffic():
    """Two bursts an hour apart; one answer takes a minute, and one request was held for four seconds."""
    make = documentation().exchange
    for number in range(12):
        at = number * 30
        yield make(at, "curl", "GET", f"https://api.shop.test/items/{number}", 200, "application/json", "{}",
                   (1, 40, 9), (2, 5, 8) if number == 0 else None)
    yield make(300, "curl", "GET", "https://api.shop.test/slow", 200, "text/plain", "slow", (1, SLOW_MS, 1))
    held = make(310, "firefox", "POST", "https://auth.shop.test/login", 503, "text/html", "x" * 5000, (1, HELD_MS + 120, 1))
    held["applied_rules"] = [{
        "rule": "pay", "phase": "request", "outcome": "held", "hold_start_ms": 2, "hold_ms": HELD_MS}]
    yield held
    for number in range(6):
        yield make(HOUR + number * 30, "firefox", "GET", f"https://cdn.shop.test/img/{number}", 404, "text/html", "no", (1, 40, 9))


class ViewCase(PageCase):
    @classmethod
    def prepare(cls):
        cls.rig.import_rows(traffic())

    def row(self, text):
        return self.grid.get_by_role("row").filter(has_text=text)


class WaterfallTests(ViewCase):
    def setUp(self):
        super().setUp()
        self.view("Waterfall")
        self.axis = self.grid.get_by_role("columnheader", name="Waterfall")
        self.tools = self.page.get_by_role("group", name="Waterfall")
        expect(self.bar("/items/0")).to_have_attribute("aria-label", re.compile("Wait 40"))

    def bar(self, path):
        """The cell with the bar of a row."""
        return self.row(path).get_by_role("gridcell").last

    def width(self, path):
        return self.bar(path).locator(".phase-bar").bounding_box()["width"]

    def drag(self, start, end):
        box = self.axis.bounding_box()
        y = box["y"] + box["height"] / 2
        self.page.mouse.move(box["x"] + start * box["width"], y)
        self.page.mouse.down()
        self.page.mouse.move(box["x"] + end * box["width"], y, steps=4)
        self.page.mouse.up()

    def test_a_bar_says_how_long_each_phase_took(self):
        expect(self.bar("/items/0")).to_have_attribute(
            "title", re.compile(r"in all\n.*DNS 2\.00 ms\nConnect 5\.00 ms\nTLS 8\.00 ms\nSend 1\.20 ms\nWait 40\.0 ms\nReceive 9\.00 ms", re.S))
        expect(self.bar("/items/1")).not_to_have_attribute("title", re.compile("TLS"))
        expect(self.tools.get_by_role("list", name="Phases")).to_contain_text("DNSConnectTLSSendWaitReceive")

    def test_time_in_holds_is_a_phase_of_its_own(self):
        expect(self.bar("/login")).to_have_attribute("aria-label", re.compile("^122 ms in all,.* Held 4.00 s$"))
        self.assertGreater(self.width("/login"), self.width("/items/3"))

    def test_the_axis_has_times(self):
        expect(self.axis).to_contain_text(re.compile(r"\d\d:\d\d:\d\d\.000"))
        expect(self.axis).to_contain_text(re.compile(r"\+\d+\.?\d* ms"))

    def test_time_without_an_exchange_is_folded(self):
        expect(self.axis.get_by_title("without an exchange")).to_have_attribute("title", re.compile("^59 min"))
        self.assertGreater(self.width("/img/3"), 12)

    def test_a_row_that_takes_long_does_not_squeeze_the_others(self):
        expect(self.bar("/slow")).to_contain_text("▸")
        before = self.width("/items/3")
        self.tools.get_by_role("button", name="All").click()
        expect(self.bar("/slow")).not_to_contain_text("▸")
        self.assertLess(self.width("/items/3"), before)

    def test_dragging_over_the_axis_zooms_in(self):
        before = self.width("/items/3")
        self.drag(0.05, 0.3)
        expect(self.bar("/img/3")).to_have_text("▸")
        self.assertGreater(self.width("/items/3"), 2 * before)
        self.tools.get_by_role("button", name="All").click()
        expect(self.bar("/img/3")).to_have_text("50.3 ms")

    def test_keys_zoom_and_move(self):
        before = self.width("/items/0")
        self.grid.focus()
        self.press("Home", "+")
        expect(self.tools.get_by_role("button", name="Later")).to_be_enabled()
        self.assertGreater(self.width("/items/0"), 1.8 * before)
        self.press("+", "+", "l", "l", "ArrowRight", "ArrowRight", "ArrowRight")
        expect(self.bar("/items/0")).to_have_text("◂")
        self.press("0")
        expect(self.bar("/items/0")).to_have_text("65.3 ms")
        expect(self.tools.get_by_role("button", name="Later")).to_be_disabled()

    def test_it_is_accessible(self):
        self.assertEqual(self.serious(), [])


class SummaryTests(ViewCase):
    def setUp(self):
        super().setUp()
        self.view("Summary")
        self.summary = self.page.get_by_role("region", name="Summary")
        self.times = self.summary.get_by_role("slider", name="Time")
        expect(self.times).to_be_visible()

    def part(self, name):
        return self.summary.get_by_role("region", name=name)

    def choose(self, part, line):
        self.part(part).get_by_role("button").filter(has_text=line).click()

    def bar(self):
        return self.page.get_by_role("searchbox", name="Filter", exact=True)

    def test_a_column_is_read_with_the_keys(self):
        self.times.focus()
        self.press("Home")
        expect(self.times).to_have_attribute("aria-valuetext", re.compile("14 exchanges · 1 error"))
        expect(self.part("Times")).to_contain_text("14 exchanges · 1 error")
        self.press("Shift+End")
        expect(self.times).to_have_attribute("aria-valuetext", re.compile("20 exchanges · 7 errors"))

    def test_a_time_that_is_dragged_narrows_the_filter(self):
        box = self.times.bounding_box()
        y = box["y"] + 40
        for start, end, count in ((0.5, 0.999, 6), (0.5, 0.999, 6)):
            self.page.mouse.move(box["x"] + start * box["width"], y)
            self.page.mouse.down()
            self.page.mouse.move(box["x"] + end * box["width"], y, steps=4)
            self.page.mouse.up()
            expect(self.page.get_by_label("Matching exchanges")).to_have_text(f"{count} exchanges")
        # The second one took the place of the first.
        self.assertEqual(self.bar().input_value().count("time>="), 1)
        expect(self.summary).to_be_visible()

    def test_every_line_narrows_the_filter(self):
        for part, line, filter in (
                ("Statuses", "404", "status=404"), ("Hosts", "auth.shop.test", "host=auth.shop.test"),
                ("Methods", "POST", "method=POST"), ("Clients", "firefox", "process=firefox"),
                ("Content types", "text/plain", "type=text/plain")):
            with self.subTest(part=part):
                self.choose(part, line)
                expect(self.bar()).to_have_value(filter)
                expect(self.grid).to_be_visible()
                self.page.get_by_role("button", name="Clear filter").click()
                self.view("Summary")

    def test_the_slowest_exchange_comes_first_and_held_time_does_not_count(self):
        lines = self.part("Slowest").get_by_role("button")
        expect(lines.first).to_contain_text("/slow")
        login = lines.filter(has_text="/login")
        expect(login).to_contain_text("held 4.00 s more")
        expect(login).to_contain_text("122 ms")
        lines.first.click()
        expect(self.page.get_by_role("region", name="Exchange ")).to_contain_text("/slow")
        expect(self.summary).to_be_visible()

    def test_a_failure_is_counted_by_its_reason(self):
        expect(self.part("Failures")).to_contain_text("Every request was answered.")
        self.addCleanup(self.rig.api, "DELETE", "/exchanges?filter=path%3D/refused")
        self.rig.send("http://127.0.0.1:1/refused")
        self.choose("Failures", "connectionRefused")
        expect(self.bar()).to_have_value(re.compile('^error:"upstream connectionRefused'))
        expect(self.grid.get_by_role("row")).to_have_count(2)

    def test_the_largest_response_comes_first(self):
        expect(self.part("Largest responses").get_by_role("button").first).to_contain_text("5.00 kB")

    def test_it_is_accessible(self):
        self.assertEqual(self.serious(), [])


class TreeTests(ViewCase):
    def setUp(self):
        super().setUp()
        self.view("Tree")
        self.tree = self.page.get_by_role("tree", name="Hosts and paths")
        expect(self.tree.get_by_role("treeitem")).to_have_count(3)

    def item(self, name):
        return self.tree.get_by_role("treeitem", name=name)

    def test_it_says_how_it_is_used(self):
        expect(self.page.get_by_text("lists only these exchanges")).to_be_visible()
        expect(self.page.get_by_text("No exchange passes the filter")).to_be_hidden()

    def test_the_keys_are_those_of_a_tree(self):
        self.tree.get_by_role("treeitem").first.focus()
        self.press("ArrowRight", "ArrowRight")
        expect(self.item("items/")).to_be_visible()
        self.press("ArrowDown", "End", "Home", "ArrowLeft")
        expect(self.item("items/")).to_be_hidden()
        self.press("ArrowRight", "ArrowDown", "Enter")
        expect(self.grid.get_by_role("row")).to_have_count(13)

    def test_failures_are_said_with_each_host(self):
        expect(self.item("https://auth.shop.test, 1 exchange")).to_have_attribute("aria-label", re.compile("1 failed"))

    def test_a_button_lists_only_one_host(self):
        self.item("https://cdn.shop.test").hover()
        self.item("https://cdn.shop.test").get_by_text("Only these").click()
        expect(self.grid.get_by_role("row")).to_have_count(7)

    def test_it_is_accessible(self):
        self.assertEqual(self.serious(), [])


if __name__ == "__main__":
    unittest.main()

"""The tasks of a debugging day, with the clicks and keys that each takes.

Each click and each key counts one, and so does a text that any tool would need. The limits are what
mitmweb 11.0.2 takes, by the shortest way through its interface:

- a filter: click into the search field, type; it applies while it is typed
- a form: click the row; the request with its form is what opens
- JSON of a response: click the row, click Response
- cURL: click the row, Export, Copy as cURL
- edit and send: click the row, Edit, select all, the text, Done, Replay
- save a body: click the row, Download, the response; the body opens in a tab, save, confirm
- compare two responses: there is no such action
"""

import re
import unittest

from playwright.sync_api import expect

from pages import PageCase


class TaskTests(PageCase):
    def setUp(self):
        super().setUp()
        self.count = 0
        self.region = self.page.get_by_role("region", name="Exchange ")

    def new_context(self):
        return super().new_context(permissions=["clipboard-read", "clipboard-write"])

    def click(self, locator):
        self.count += 1
        locator.click()

    def key(self, *keys):
        self.count += len(keys)
        self.press(*keys)

    def type(self, text):
        self.count += 1
        self.page.keyboard.type(text)

    def open(self, text):
        """Clicks the row, and looks at what opens."""
        self.click(self.row(text))
        expect(self.region.get_by_role("tab", name="Overview")).to_be_visible()

    def row(self, text):
        return self.grid.get_by_role("row").filter(has_text=text).first

    def assert_count(self, mitmweb):
        self.assertLessEqual(self.count, mitmweb)

    def test_find_a_failing_post(self):
        self.rig.send("/status/503", "POST", b"x=1")
        self.key("/")
        self.type("method=POST status>=500")
        expect(self.grid.get_by_role("row")).to_have_count(2)
        self.assert_count(2)

    def test_see_its_decoded_form(self):
        self.open("/login")
        expect(self.region.get_by_text("hunter2").first).to_be_visible()
        self.assert_count(1)

    def test_read_nested_json(self):
        self.open("/json")
        self.key("3")
        expect(self.region.get_by_role("treeitem").filter(has_text="Ann").first).to_be_visible()
        self.assert_count(2)

    def test_copy_as_curl(self):
        self.open("/order")
        self.key("Y")
        expect(self.page.get_by_text("Copied as cURL")).to_be_visible()
        text = self.page.evaluate("() => navigator.clipboard.readText()")
        self.assertTrue(text.startswith("curl ") and "/order" in text, text)
        self.assert_count(3)

    def test_edit_and_send(self):
        self.open("/order")
        self.click(self.page.get_by_role("button", name="Edit and send"))
        body = self.page.get_by_role("textbox", name="Body", exact=True)
        self.click(body)
        self.key("ControlOrMeta+a")
        self.type('{"changed":true}')
        self.key("ControlOrMeta+Enter")
        expect(self.page.get_by_role("dialog")).to_be_hidden()
        _, _, found = self.rig.api("GET", "/count?filter=reqbody%3Achanged")
        self.assertEqual(found, {"count": 1})
        self.assert_count(6)

    def test_filter_by_host_and_status(self):
        self.key("/")
        self.type("host=127.0.0.1 status=404")
        expect(self.grid.get_by_role("row")).to_have_count(2)
        self.assert_count(2)

    def test_search_bodies(self):
        self.key("/")
        self.type("body:hunter2")
        expect(self.grid.get_by_role("row")).to_have_count(2)
        expect(self.row("/login")).to_be_visible()
        self.assert_count(2)

    def test_save_a_body(self):
        self.open("/json")
        self.key("3")
        with self.page.expect_download() as download:
            self.click(self.region.get_by_role("button", name="Save the response body"))
        self.assertIn(b'"Ann"', download.value.path().read_bytes())
        self.assert_count(5)

    def test_compare_two_responses(self):
        self.open("/html")
        self.key("m", "m", "D")
        table = self.page.get_by_role("dialog").get_by_role("table", name="Differences")
        expect(table).to_be_visible()

    def test_follow_live_traffic_with_a_filter(self):
        self.key("/")
        self.type("path=/live")
        expect(self.page.get_by_text("No exchange passes the filter.")).to_be_visible()
        self.rig.send("/other")
        self.rig.send("/live")
        expect(self.row("/live")).to_be_visible()
        expect(self.grid.get_by_role("row")).to_have_count(2)
        self.assert_count(2)


class TypedFilterTests(PageCase):
    def test_escape_brings_back_the_filter_before_the_typing(self):
        self.filter("path=/order")
        expect(self.grid.get_by_role("row")).to_have_count(2)
        self.press("/")
        self.page.keyboard.type("status=404")
        bar = self.page.get_by_role("searchbox", name="Filter")
        expect(self.page).to_have_url(re.compile("404"))
        self.press("Escape", "Escape")
        expect(bar).to_have_value("path=/order")
        expect(self.page).to_have_url(re.compile("order"))

    def test_a_mistake_while_typing_leaves_the_list(self):
        self.press("/")
        self.page.keyboard.type("status=404")
        expect(self.grid.get_by_role("row")).to_have_count(2)
        self.page.keyboard.type(" (")
        expect(self.page.get_by_role("alert").filter(has_text="column")).to_be_visible()
        expect(self.grid.get_by_role("row")).to_have_count(2)


if __name__ == "__main__":
    unittest.main()

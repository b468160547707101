"""The twenty tasks of a debugging day, with the clicks and keys that each takes.

Each click and each key counts one, and so does a text that any tool would need. The limits are what
mitmweb 11.0.2 takes, by the shortest way through its interface; None if it cannot do it:

- a filter: click into the search field, type; it applies while it is typed
- a form: click the row; the request with its form is what opens
- JSON of a response, messages of a WebSocket, a gRPC body: click the row, click Response or Messages
- cURL: click the row, Export, Copy as cURL
- edit and send: click the row, Edit, select all, the text, Done, Replay
- save a body: click the row, Download, the response; the body opens in a tab, save, confirm
- a breakpoint: click into Intercept, type, click the row, Edit, the text, Resume
- map to a file: Options, Map Local, the text, the path, Done
- the slowest: click the heading, click it again
- a HAR: File, Open, the file

PROXYD_TASK_TABLE=1 prints the numbers.
"""

import os
import re
import threading
import unittest

from playwright.sync_api import expect

from conversations import grpc_call, web_socket
from origins import EventOrigin
from pages import PageCase

DROP = """(text) => {
    const data = new DataTransfer();
    data.items.add(new File([text], 'shop.har'));
    return data;
}"""


class TaskCase(PageCase):
    taken = []

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        if os.environ.get("PROXYD_TASK_TABLE"):
            print("", *(f"| {name} | {count} | {mitmweb} |" for name, count, mitmweb in sorted(cls.taken)), sep="\n")
        TaskCase.taken.clear()

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

    def menu(self, row, item):
        """Chooses an item of a row's context menu."""
        self.count += 2
        row.click(button="right")
        self.page.get_by_role("menuitem", name=item).click()

    def assert_count(self, mitmweb):
        name = self.id().split(".test_")[-1].replace("_", " ")
        self.taken.append((name, self.count, mitmweb or "not possible"))
        if mitmweb:
            self.assertLessEqual(self.count, mitmweb)


class TaskTests(TaskCase):
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
        expect(self.page.get_by_role("dialog").get_by_role("table", name="Answer")).to_be_visible()
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
        with self.page.expect_download() as download:
            self.click(self.region.get_by_role("button", name="Save the response body"))
        self.assertIn(b'"Ann"', download.value.path().read_bytes())
        self.assert_count(5)

    def test_compare_two_responses(self):
        self.open("/html")
        self.key("m", "m", "D")
        table = self.page.get_by_role("dialog").get_by_role("table", name="Differences")
        expect(table).to_be_visible()
        self.assert_count(None)

    def test_follow_live_traffic_with_a_filter(self):
        self.key("/")
        self.type("path=/live")
        expect(self.grid.get_by_role("row")).to_have_count(1)
        self.rig.send("/other")
        self.rig.send("/live")
        expect(self.row("/live")).to_be_visible()
        expect(self.grid.get_by_role("row")).to_have_count(2)
        self.assert_count(2)


    def test_find_the_slowest(self):
        self.click(self.page.get_by_role("button", name="Sort by duration"))
        expect(self.grid.get_by_role("columnheader", name="Sort by duration")).to_have_attribute("aria-sort", "descending")
        self.assert_count(2)

    def test_compare_two_runs(self):
        for run, status in ((1, 200), (2, 500)):
            self.rig.send(f"/run?run={run}&status={status}")
        self.key("V")
        dialog = self.page.get_by_role("dialog", name="Compare two sets")
        expect(dialog).to_be_visible()
        self.type("param.run=1")
        self.key("Tab")
        self.type("param.run=2")
        self.key("Tab")
        self.type("query:run query:status")
        self.key("Enter")
        expect(dialog.get_by_role("table")).to_contain_text("status 200 → 500")
        self.assert_count(None)

    def test_look_into_a_har(self):
        har = self.rig.api("GET", "/export?format=har")[2].decode()
        data = self.page.evaluate_handle(DROP, har)
        self.count += 1
        self.page.dispatch_event("body", "drop", {"dataTransfer": data})
        with self.context.expect_page() as opened:
            self.click(self.page.get_by_role("button", name="Look into it"))
        expect(opened.value.get_by_role("grid", name="Exchanges").get_by_role("row").nth(1)).to_be_visible()
        self.assert_count(3)


class ConversationTaskTests(TaskCase):
    @classmethod
    def prepare(cls):
        cls.rig.import_rows([*grpc_call(1, "Pay", 0, "ok"), *web_socket(1 + 1)])

    def test_read_a_web_socket(self):
        self.click(self.row("/live"))
        self.key("8")
        expect(self.region.get_by_text("subscribe").first).to_be_visible()
        expect(self.region.get_by_text("1000").first).to_be_visible()
        self.assert_count(2)

    def test_read_grpc(self):
        self.click(self.row("Pay"))
        self.key("8")
        expect(self.region.get_by_text("ada").first).to_be_visible()
        self.assert_count(2)

    def test_follow_an_event_stream(self):
        with EventOrigin(self.rig.proxy) as events:
            events.say("first")
            self.click(self.row("/events"))
            self.key("8")
            expect(self.region.get_by_text("first").first).to_be_visible()
            events.say("second")
            expect(self.region.get_by_text("second").first).to_be_visible()
        self.assert_count(None)


class ActingTaskTests(TaskCase):
    """Tasks that change what happens to traffic."""

    def tearDown(self):
        before = self.rig.api("GET", "/rules/file")[2]["text"]
        self.rig.api("PUT", "/rules/file", {"text": "", "before": before})
        self.rig.api("PUT", "/holds/intercept", {"filter": None})
        super().tearDown()

    def test_stop_a_request_and_change_a_field(self):
        self.open("/order")
        self.click(self.region.get_by_role("button", name="Break on this"))
        expect(self.page.get_by_text("Requests like this one are held")).to_be_visible()
        statuses = []
        client = threading.Thread(target=lambda: statuses.append(self.rig.send(
            "/order", "POST", b'{"qty":0}', {"Content-Type": "application/json"})))
        client.start()
        body = self.page.get_by_role("region", name="Holds").get_by_role("textbox", name="Body")
        expect(body).to_have_value('{"qty":0}')
        self.click(body)
        self.key("ControlOrMeta+a")
        self.type('{"qty":7}')
        self.key("ControlOrMeta+Enter")
        client.join(30)
        self.assertEqual(statuses, [200])
        self.assertEqual(self.rig.api("GET", "/count?filter=reqbody%3Aqty")[2], {"count": 1})
        self.assert_count(6)

    def test_serve_a_response_from_a_file(self):
        self.click(self.row("/json"))
        self.key("M")
        dialog = self.page.get_by_role("dialog", name="Map to a file")
        expect(dialog).to_be_visible()
        self.key("ControlOrMeta+Enter")
        expect(dialog).to_be_hidden()
        self.assertIn("serve = ", self.rig.api("GET", "/rules/file")[2]["text"])
        self.assert_count(5)

    def test_slow_a_host_down(self):
        self.menu(self.row("/xml"), "Throttle")
        dialog = self.page.get_by_role("dialog", name="Throttle")
        expect(dialog).to_be_visible()
        self.key("ControlOrMeta+Enter")
        expect(dialog).to_be_hidden()
        self.assertIn("throttle", self.rig.api("GET", "/rules/file")[2]["text"])
        self.assert_count(None)

    def test_answer_for_a_server_that_is_down(self):
        self.rig.send("http://127.0.0.1:1/down")
        self.menu(self.row("/down"), "Mock")
        dialog = self.page.get_by_role("dialog", name="Mock")
        expect(dialog).to_be_visible()
        self.click(dialog.get_by_role("textbox", name="Body"))
        self.type('{"mocked":true}')
        self.key("ControlOrMeta+Enter")
        expect(dialog).to_be_hidden()
        self.assertEqual(self.rig.send("http://127.0.0.1:1/down"), 200)
        self.assert_count(None)


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

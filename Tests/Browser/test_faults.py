"""What once went wrong on the page stays right: what each part says, and what is never lost."""

import base64
import json
import re
import time
import unittest

from playwright.sync_api import expect

from conversations import LONG_NUMBER, START, grpc_call, web_socket
from pages import PageCase


def part(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


TOKEN = ".".join([part({"alg": "none"}), part({"sub": "ann", "exp": 1_700_000_000}), ""])


def exchange(number, path, milliseconds=1, request=(), body=None, kind="application/json"):
    """A GET with a body in its response: JSON, or a text of another type."""
    text = json.dumps(body) if kind == "application/json" else body
    return {
        "id": number, "started_at": START, "method": "GET", "url": f"http://shop.test{path}",
        "status": 200, "duration_ms": milliseconds, "request": {"headers": [["Host", "shop.test"], *request]},
        "response": {
            "headers": [["Content-Type", kind]], "body_text": text,
            "body_bytes": len(text), "body_kept_bytes": len(text)},
        "timeline": {"started_at": START, "total_duration_ms": milliseconds},
    }


# Far more lines than are shown at once.
LINES = "\n".join(f"line {number}" for number in range(9_000)) + "\nthe last words\n"


def upload(number):
    """A POST with a body of which only the start comes with the exchange."""
    text = "x" * 300_000
    return {
        "id": number, "started_at": START, "method": "POST", "url": "http://shop.test/upload/long",
        "status": 200, "duration_ms": 60, "response": {"headers": []}, "request": {
            "headers": [["Host", "shop.test"], ["Content-Type", "text/plain"]],
            "body_text": text, "body_bytes": len(text), "body_kept_bytes": len(text)},
        "timeline": {"started_at": START, "total_duration_ms": 60},
    }


class MessagesTests(PageCase):
    @classmethod
    def prepare(cls):
        cls.rig.import_rows(
            grpc_call(1, "Get", 5, "no%20such%20user") + grpc_call(2, "List", 0, "") + web_socket(3))

    def open_messages(self, path):
        region = self.open_path(path)
        self.press("8")
        return region.get_by_role("table", name="Messages"), region

    def test_grpc_messages_are_readable(self):
        table, region = self.open_messages("/shop.Shop/Get")
        line = f'1: "ada", 2: 5, 3: {{1: 7}}, 4: {LONG_NUMBER}'
        expect(table.get_by_text(line)).to_have_count(2)
        expect(table.get_by_text("(empty)")).to_have_count(0)
        table.get_by_role("button").first.click()
        content = region.get_by_role("group", name="Content of the message")
        tree = content.get_by_role("tree").first
        expect(tree.get_by_role("treeitem").filter(has_text=str(LONG_NUMBER)).first).to_be_visible()
        expect(tree.get_by_text("ada")).to_be_visible()
        self.assertEqual(self.serious(), [])

    def test_close_frames_name_their_code_and_reason(self):
        table, region = self.open_messages("/live")
        rows = table.get_by_role("row")
        expect(rows.nth(4)).to_contain_text("1000 normal closure: bye")
        expect(rows.nth(5)).to_contain_text("1000 normal closure")
        expect(rows.nth(2)).to_contain_text("00 01 fe ff")
        # Only the ping has no content.
        expect(table.get_by_text("(empty)")).to_have_count(1)
        table.get_by_role("button", name="Message 3").click()
        expect(region.get_by_role("group", name="Content of the message")
               ).to_contain_text("1000 normal closure: bye")

    def test_a_message_of_json_is_a_tree_with_all_its_digits(self):
        table, region = self.open_messages("/live")
        table.get_by_role("button", name="Message 0").click()
        content = region.get_by_role("group", name="Content of the message")
        expect(content.get_by_role("treeitem").filter(has_text=str(LONG_NUMBER)).first).to_be_visible()

    def test_a_chosen_message_stays_while_its_exchange_changes(self):
        table, region = self.open_messages("/live")
        table.get_by_role("button", name="Message 3").click()
        content = region.get_by_role("group", name="Content of the message")
        expect(content).to_contain_text("Message 3")
        number = self.page.url.rpartition("exchange=")[2]
        self.assertEqual(self.rig.api("PATCH", f"/exchanges/{number}", {"pinned": True})[0], 200)
        expect(region.get_by_text("pinned", exact=True)).to_be_visible()
        expect(content).to_contain_text("Message 3")
        expect(table.get_by_role("row")).to_have_count(6)

    def test_a_failing_call_is_red_and_says_why(self):
        row = self.grid.get_by_role("row").filter(has_text="/shop.Shop/Get")
        expect(row).to_have_class(re.compile("failed"))
        expect(row).to_contain_text("5 NOT_FOUND")
        other = self.grid.get_by_role("row").filter(has_text="/shop.Shop/List")
        expect(other).to_have_class(re.compile("ok"))
        expect(other).not_to_contain_text("0 OK")
        region = self.open_path("/shop.Shop/Get")
        expect(region.get_by_role("heading", name="5 NOT_FOUND: no such user")).to_be_visible()
        region.get_by_text("Details", exact=True).click()
        facts = region.get_by_role("table", name="Facts")
        expect(facts.get_by_role("row").filter(has_text="gRPC status")
               ).to_contain_text("5 NOT_FOUND: no such user")

    def test_a_screen_reader_hears_what_the_signs_mean(self):
        row = self.grid.get_by_role("row").filter(has_text="/shop.Shop/Get")
        expect(row.get_by_role("gridcell", name="200, failed")).to_be_visible()


class ReadingTests(PageCase):
    @classmethod
    def prepare(cls):
        cls.rig.record()
        lines = {"lines": [{"number": n, "text": f"line {n}"} for n in range(150)] + [{"deep": {"hit": "Needle"}}]}
        cls.rig.import_rows([
            exchange(1, "/slow", 900), exchange(2, "/quick", 3), exchange(3, "/long", 30, body=lines),
            exchange(5, "/lines", 50, body=LINES, kind="text/plain"), upload(6),
            exchange(4, "/token", 40, request=[["Authorization", f"Bearer {TOKEN}"]]),
        ])

    def test_a_full_tree_says_how_it_is_used(self):
        self.view("Tree")
        expect(self.page.get_by_role("treeitem").first).to_be_visible()
        expect(self.page.get_by_text("lists only these exchanges")).to_be_visible()
        expect(self.page.get_by_text("No exchange passes the filter")).to_be_hidden()
        self.filter("path=/nothing")
        expect(self.page.get_by_text("No exchange passes the filter")).to_be_visible()
        expect(self.page.get_by_text("lists only these exchanges")).to_be_hidden()

    def test_a_valid_rules_file_has_no_mistake(self):
        before = self.rig.api("GET", "/rules/file")[2]["text"]
        text = '[[rule]]\nname = "slow"\nwhen = "path=/slow"\nrequest = [{ delay_ms = 1 }]\n'
        self.assertEqual(self.rig.api("PUT", "/rules/file", {"text": text, "before": before})[0], 200)
        self.view("Rules")
        self.page.get_by_role("button", name="Edit file").click()
        dialog = self.page.get_by_role("dialog")
        expect(dialog.get_by_role("status")).to_contain_text("They would match 1 of the")
        expect(dialog.get_by_role("alert")).to_be_hidden()
        dialog.get_by_role("textbox").fill("[[rule]\n")
        expect(dialog.get_by_role("alert")).to_contain_text("rules.toml:1")

    def test_json_web_tokens_are_readable(self):
        region = self.open_path("/token")
        region.get_by_role("tab", name="Security").click()
        section = region.get_by_role("group").filter(has_text="JSON Web Token")
        expect(section).to_contain_text("Authorization of the request, not verified")
        claims = section.get_by_role("tree", name="Claims")
        expect(claims.get_by_role("treeitem", name='sub: "ann"')).to_be_visible()
        expect(section).to_contain_text("no signature")
        self.assertEqual(self.serious(), [])
        expect(section).to_contain_text("Valid until 2023-11-1")

    def test_only_tabs_with_something_in_them_are_shown(self):
        region = self.open_path("/quick")
        expect(region.get_by_role("tab", name="Timing")).to_be_visible()
        for name in ("Cookies", "Messages", "Changes"):
            expect(region.get_by_role("tab", name=name)).to_have_count(0)
        self.press("8")
        expect(region.get_by_role("tab", name="Overview")).to_have_attribute("aria-selected", "true")
        self.press("0")
        expect(region.get_by_role("tab", name="Security")).to_have_attribute("aria-selected", "true")

    def test_what_a_filter_finds_in_a_body_is_shown(self):
        for text, found in (("body:needle", "Needle"), ("~bs Need.e", "Needle")):
            self.filter(text)
            expect(self.grid.get_by_role("row")).to_have_count(2)
            region = self.open_last_at("Overview")
            expect(region.locator("mark")).to_have_text([found])
            expect(region.locator("mark")).to_be_in_viewport()
            self.press("Escape")
        self.filter("body:hunter2")
        expect(self.grid.get_by_role("row").filter(has_text="/login")).to_be_visible()
        region = self.open_last_at("Overview")
        expect(region.get_by_role("group", name="Body of the request").locator("mark").first
               ).to_have_text("hunter2")

    def open_last_at(self, tab):
        region = self.open_last()
        expect(region.get_by_role("tab", name=tab)).to_have_attribute("aria-selected", "true")
        return region

    def test_what_a_filter_finds_far_below_is_shown(self):
        self.filter("body:\"last words\"")
        expect(self.grid.get_by_role("row")).to_have_count(2)
        region = self.open_last_at("Overview")
        # Thousands of lines are read first, which takes long without optimization.
        expect(region.locator("mark")).to_be_in_viewport(timeout=30_000)
        expect(region.get_by_text("line 8999", exact=True)).to_be_visible()
        region.get_by_role("button", name="Show the body from its start").click()
        expect(region.get_by_text("line 0", exact=True)).to_be_visible()

    def test_a_body_that_came_cut_is_not_edited(self):
        self.open_path("/upload/long")
        self.press("e")
        dialog = self.page.get_by_role("dialog", name="Edit and send")
        expect(dialog.get_by_role("button", name="As recorded")).to_have_attribute("aria-pressed", "true")
        expect(dialog.get_by_text("are sent as they were")).to_be_visible()

    def test_a_request_that_was_sent_is_selected(self):
        self.filter("path=/xml")
        expect(self.grid.get_by_role("row")).to_have_count(2)
        self.grid.focus()
        self.press("End", "r")
        expect(self.grid.get_by_role("row")).to_have_count(3)
        expect(self.grid.get_by_role("row").nth(2)).to_have_attribute("aria-selected", "true")
        expect(self.page.get_by_text("again…")).to_be_hidden()

    def test_what_arrives_while_the_list_is_read_again_is_shown(self):
        # The first refresh waits for its last answer, the number of exchanges. No event helps.
        self.filter("path=/late")
        expect(self.page.get_by_label("Matching exchanges")).to_have_text("0 exchanges")
        self.page.evaluate("""() => {
            const { fetch } = window;
            const answer = new Promise((resolve) => { window.goOn = resolve; });
            window.fetch = async (url, options) => {
                if (String(url).includes('/count')) await answer;
                return fetch(url, options);
            };
            const list = document.querySelector('exchange-list');
            list.change = () => {};
            window.source = list.source;
            window.source.refresh(0, 30, null);
        }""")
        self.rig.send("/late")
        self.wait_until_stored("/late")
        self.page.evaluate("() => { window.source.refresh(0, 30, null); window.goOn(); }")
        expect(self.grid.get_by_role("row").filter(has_text="/late")).to_be_visible()
        expect(self.grid.get_by_role("row")).to_have_count(2)

    def wait_until_stored(self, path):
        deadline = time.monotonic() + 30
        while self.rig.api("GET", f"/count?filter=path%3D{path}")[2] == {"count": 0}:
            self.assertLess(time.monotonic(), deadline)
            self.page.wait_for_timeout(50)

    def test_the_slowest_come_first(self):
        self.filter("host=shop.test")
        expect(self.grid.get_by_role("row")).to_have_count(7)
        heading = self.page.get_by_role("button", name="Sort by duration")
        heading.click()
        expect(self.grid.get_by_role("row").nth(1)).to_contain_text("/slow")
        heading.click()
        expect(self.grid.get_by_role("row").nth(1)).to_contain_text("/quick")
        heading.click()

    def test_nothing_cannot_be_deleted(self):
        self.filter("path=/nothing")
        expect(self.page.get_by_text("No exchange passes the filter")).to_be_visible()
        self.press("z")
        dialog = self.page.get_by_role("dialog", name="Delete exchanges")
        expect(dialog.get_by_role("button", name="Delete 0 exchanges")).to_be_disabled()

    def test_json_moves_little_to_the_right(self):
        region = self.open_path("/json")
        left = [region.get_by_role("treeitem").nth(depth).bounding_box()["x"] for depth in range(2)]
        self.assertEqual(left[1] - left[0], 16)

    def test_a_value_of_json_is_copied(self):
        self.context.grant_permissions(["clipboard-read", "clipboard-write"])
        region = self.open_path("/long")
        region.get_by_role("treeitem").first.focus()
        # Into the array, which is folded, and to the text of its first line.
        self.press("ArrowRight", "ArrowDown", "ArrowDown", "ArrowDown", "c")
        expect(self.page.get_by_text("Copied the value")).to_be_visible()
        self.assertEqual(self.page.evaluate("() => navigator.clipboard.readText()"), "line 0")

    def test_help_scrolls_with_the_keys(self):
        self.page.set_viewport_size({"width": 1280, "height": 400})
        self.press("?")
        dialog = self.page.get_by_role("dialog", name="Keys and signs")
        expect(dialog.get_by_role("group", name="All keys and signs")).to_be_focused()
        self.press("PageDown", "PageDown", "PageDown")
        expect(dialog.get_by_text("In headings, Alt with")).to_be_in_viewport()


class DraftTests(PageCase):
    def dialog(self, name):
        return self.page.get_by_role("dialog", name=name)

    def change_and_leave(self, dialog, field):
        """Writes something, and tries to leave in both ways."""
        box = dialog.get_by_label(field, exact=True)
        box.press("End")
        box.press_sequentially("!")
        written = box.input_value()
        question = dialog.get_by_role("alertdialog")
        self.press("Escape")
        expect(question).to_be_visible()
        expect(question.get_by_role("button", name="Keep editing")).to_be_focused()
        self.press("Escape")
        expect(question).to_be_hidden()
        expect(box).to_be_focused()
        dialog.get_by_role("button", name="Close").click()
        question.get_by_role("button", name="Keep editing").click()
        expect(box).to_have_value(written)
        self.press("Escape")
        question.get_by_role("button", name="Discard").click()
        expect(dialog).to_be_hidden()

    def test_a_request_that_is_edited_is_not_lost(self):
        self.grid.focus()
        self.press("End", "e")
        self.change_and_leave(self.dialog("Edit and send"), "URL")

    def test_a_new_request_is_not_lost(self):
        self.press("n")
        self.change_and_leave(self.dialog("New request"), "URL")

    def test_edited_rules_are_not_lost(self):
        self.view("Rules")
        self.page.get_by_role("button", name="Edit file").click()
        self.change_and_leave(self.dialog("Edit rules"), "rules.toml")

    def test_a_note_is_not_lost(self):
        self.grid.focus()
        self.press("End", ";")
        self.change_and_leave(self.dialog("Note on"), "Note")

    def test_what_is_not_changed_closes_at_once(self):
        self.grid.focus()
        self.press("End", "e")
        dialog = self.dialog("Edit and send")
        expect(dialog).to_be_visible()
        self.press("Escape")
        expect(dialog).to_be_hidden()


if __name__ == "__main__":
    unittest.main()

"""Files that are dropped on the page, or chosen: looked into, imported, refused."""

import io
import json
import re
import unittest
import urllib.parse
import zipfile

from playwright.sync_api import expect

from pages import PageCase

DONE = {"imported": 3, "refused": 0, "first": "2", "last": "4", "remarks": []}
# Drops files with names and texts on the page, as a file manager does.
DROP = """(files) => {
    const data = new DataTransfer();
    for (const [name, text] of files) data.items.add(new File([text], name));
    for (const type of ['dragenter', 'dragover']) document.body.dispatchEvent(new DragEvent(type, {dataTransfer: data, bubbles: true, cancelable: true}));
    return data;
}"""


class PanelCase(PageCase):
    def setUp(self):
        super().setUp()
        self.panel = self.page.get_by_role("dialog", name="Open a file")

    def drop(self, *files):
        data = self.page.evaluate_handle(DROP, files)
        self.page.dispatch_event("body", "drop", {"dataTransfer": data})

    def choose(self, name, text):
        """Chooses a file through the menu."""
        self.page.get_by_role("button", name="More", exact=True).click()
        self.page.get_by_role("menuitem", name="Import").click()
        with self.page.expect_file_chooser() as chooser:
            self.panel.get_by_role("button", name="Choose a file").click()
        chooser.value.set_files({"name": name, "mimeType": "application/json", "buffer": text})

    def press_button(self, name):
        self.panel.get_by_role("button", name=name).click()

    def filter_text(self):
        return self.page.get_by_role("searchbox", name="Filter", exact=True)


class ImportPanelTests(PanelCase):
    """What the page does with each answer; the answers are made up."""

    def answer(self, body, status=200):
        """Answers imports, and keeps what they sent."""
        self.sent = []

        def take(route):
            query = urllib.parse.urlsplit(route.request.url).query
            self.sent.append(dict(urllib.parse.parse_qsl(query)))
            route.fulfill(status=status, content_type="application/json", body=json.dumps(body))
        self.page.route("**/api/v1/imports?*", take)

    def refuse(self, status, detail):
        self.answer({"status": status, "detail": detail}, status)
        self.drop(["shop.har", "{}"])
        self.press_button("Import it")

    def test_the_page_says_where_to_drop(self):
        self.page.evaluate(DROP, [["shop.har", "{}"]])
        expect(self.page.get_by_text("Drop the file here")).to_be_visible()
        self.page.evaluate("() => dispatchEvent(new DragEvent('dragleave'))")
        expect(self.page.get_by_text("Drop the file here")).to_be_hidden()

    def test_a_dropped_file_is_imported_with_a_tag_and_shown(self):
        self.answer({**DONE, "refused": 2, "remarks": ["entry 7: no URL", "entry 9: no time"]})
        self.drop(["shop.har", "{}"])
        expect(self.panel).to_contain_text("shop.har")
        self.panel.get_by_role("textbox", name="Tag").fill("monday")
        self.press_button("Import it")
        expect(self.panel.get_by_role("status")).to_contain_text("3 exchanges imported from shop.har")
        expect(self.panel).to_contain_text("2 exchanges were refused")
        expect(self.panel.get_by_role("listitem").first).to_have_text("entry 7: no URL")
        self.assertEqual(self.sent, [{"name": "shop.har", "mode": "import", "tag": "monday"}])
        self.assertEqual(self.serious(), [])
        self.press_button("Show them")
        expect(self.filter_text()).to_have_value("id>=2 id<=4")
        expect(self.panel).to_be_hidden()

    def test_a_file_is_looked_into_in_a_new_tab(self):
        self.answer({"file": "1", "name": "shop.har", "exchanges": 12, "refused": 0, "remarks": []})
        self.context.route("**/files/1/", lambda route: route.fulfill(body="looked into"))
        self.choose("shop.har", b"{}")
        with self.context.expect_page() as opened:
            self.press_button("Look into it")
        expect(opened.value.get_by_text("looked into")).to_be_visible()
        expect(self.panel).to_contain_text("12 exchanges in shop.har")
        self.assertEqual(self.sent, [{"name": "shop.har", "mode": "look"}])

    def test_several_files_are_imported_one_after_another(self):
        self.answer(DONE)
        self.drop(["a.har", "{}"], ["b.flows", "{}"])
        self.press_button("Import them")
        expect(self.panel.get_by_role("status")).to_have_count(2)
        self.assertEqual([one["name"] for one in self.sent], ["a.har", "b.flows"])

    def test_a_file_that_cannot_be_read_says_why(self):
        self.refuse(422, "shop.har: entry 3 has no URL")
        alert = self.panel.get_by_role("alert")
        expect(alert).to_contain_text("The file cannot be read: shop.har")
        expect(alert).to_contain_text("entry 3 has no URL")
        expect(self.panel.get_by_role("button", name="Another file")).to_be_focused()

    def test_a_busy_server_can_be_asked_again(self):
        self.refuse(409, "another file is being imported")
        expect(self.panel.get_by_role("alert")).to_contain_text("Another file is being imported")
        self.page.unroute("**/api/v1/imports?*")
        self.answer(DONE)
        self.press_button("Try again")
        self.press_button("Import it")
        expect(self.panel.get_by_role("status")).to_contain_text("3 exchanges imported")

    def test_a_file_that_is_too_large_gets_a_command(self):
        self.refuse(413, "too large")
        expect(self.panel.get_by_role("alert")).to_contain_text("The file is too large")
        expect(self.panel.get_by_text("proxyctl import shop.har")).to_be_visible()

    def limit(self, most):
        """The server says that it takes so many bytes, in its answer and in its events."""
        def said():
            return {**self.rig.api("GET", "/status")[2], "imports_at_most": most}
        self.page.route("**/api/v1/status", lambda route: route.fulfill(json=said()))
        self.page.route("**/api/v1/events", lambda route: route.fulfill(
            content_type="text/event-stream", body=f"event: status\ndata: {json.dumps(said())}\n\n"))
        self.page.reload()
        expect(self.page.get_by_text("proxyd listens on")).to_be_visible()

    def test_a_file_that_is_known_to_be_too_large_is_not_sent(self):
        self.limit(1)
        self.answer(DONE)
        self.drop(["shop.har", "{}"])
        self.press_button("Import it")
        expect(self.panel.get_by_role("alert")).to_contain_text("this page takes at most 1 B")
        self.assertEqual(self.sent, [])

    def test_where_nothing_can_be_imported_the_page_says_why(self):
        self.limit(None)
        self.drop(["shop.har", "{}"])
        expect(self.panel.get_by_role("alert")).to_contain_text("central store")

    def test_a_store_that_cannot_be_changed_is_named(self):
        self.refuse(403, "the store is read-only")
        expect(self.panel.get_by_role("alert")).to_contain_text("This store cannot be changed")

    def test_a_lost_connection_can_be_tried_again(self):
        self.page.route("**/api/v1/imports?*", lambda route: route.abort())
        self.drop(["shop.har", "{}"])
        self.press_button("Import it")
        expect(self.panel.get_by_role("alert")).to_contain_text("The connection was lost")
        expect(self.panel.get_by_role("button", name="Try again")).to_be_focused()

    def test_an_upload_is_cancelled(self):
        waiting = []
        self.page.route("**/api/v1/imports?*", lambda route: waiting.append(route))
        self.drop(["shop.har", "{}"])
        self.press_button("Import it")
        expect(self.panel.get_by_role("progressbar")).to_be_visible()
        self.press("Escape")
        expect(self.panel.get_by_role("button", name="Import it")).to_be_focused()
        self.press_button("Import it")
        self.press_button("Cancel")
        expect(self.panel.get_by_role("button", name="Import it")).to_be_focused()
        self.press("Escape")
        expect(self.panel).to_be_hidden()
        for route in waiting:
            route.abort()


class ImportTests(PanelCase):
    """Files as the server reads them."""

    @classmethod
    def prepare(cls):
        cls.rig.record()
        cls.har = cls.rig.api("GET", "/export?format=har&redact=false")[2].decode()

    def count(self, filter):
        return self.rig.api("GET", f"/count?filter={urllib.parse.quote(filter)}")[2]["count"]

    def test_a_har_is_imported_while_the_daemon_records(self):
        self.drop(["shop.har", self.har])
        self.panel.get_by_role("textbox", name="Tag").fill("from-a-har")
        self.press_button("Import it")
        expect(self.panel.get_by_role("status")).to_contain_text("9 exchanges imported from shop.har")
        self.press_button("Show them")
        expect(self.page.get_by_label("Matching exchanges")).to_have_text("9 exchanges")
        self.assertEqual(self.count("tag=from-a-har"), 9)

    def test_a_har_is_looked_into_without_being_stored(self):
        before = self.count("")
        self.drop(["shop.har", self.har])
        with self.context.expect_page() as opened:
            self.press_button("Look into it")
        expect(self.panel).to_contain_text("9 exchanges in shop.har")
        page = opened.value
        grid = page.get_by_role("grid", name="Exchanges")
        expect(grid.get_by_role("row").filter(has_text="/login")).to_be_visible()
        self.filter("path=/login", page)
        expect(grid.get_by_role("row")).to_have_count(2)
        grid.focus()
        page.keyboard.press("Home")
        page.keyboard.press("Enter")
        expect(page.get_by_role("region", name="Exchange ")).to_contain_text("hunter2")
        self.assertEqual(self.count(""), before)

    def test_an_archive_of_fiddler_is_imported(self):
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w") as file:
            file.writestr("raw/1_c.txt", "GET http://fiddler.test/saz HTTP/1.1\r\nHost: fiddler.test\r\n\r\n")
            file.writestr("raw/1_s.txt", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        self.choose("archive.saz", archive.getvalue())
        self.press_button("Import it")
        expect(self.panel.get_by_role("status")).to_contain_text("1 exchange imported from archive.saz")
        self.assertEqual(self.count("host=fiddler.test"), 1)

    def test_a_file_of_something_else_is_refused_with_the_reason(self):
        before = self.count("")
        self.drop(["notes.txt", "these are no exchanges"])
        self.press_button("Import it")
        expect(self.panel.get_by_role("alert")).to_contain_text("The file cannot be read: notes.txt")
        self.assertEqual(self.count(""), before)

    def test_what_a_file_refuses_is_said_with_its_reason(self):
        har = json.loads(self.har)
        del har["log"]["entries"][3]["request"]["url"]
        self.drop(["shop.har", json.dumps(har)])
        self.press_button("Import it")
        expect(self.panel.get_by_role("status")).to_contain_text("8 exchanges imported")
        expect(self.panel).to_contain_text("1 exchange was refused")
        expect(self.panel.get_by_role("listitem").first).to_have_text("entry 4: its request has no URL")


if __name__ == "__main__":
    unittest.main()

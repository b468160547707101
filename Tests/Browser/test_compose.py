"""Requests that are written or edited on the page, and what comes back."""

from playwright.sync_api import expect

from pages import PageCase


class ComposeCase(PageCase):
    def edit(self, path):
        """Opens the composer on the exchange of a path."""
        self.filter(f"path={path}")
        expect(self.grid.get_by_role("row")).to_have_count(2)
        self.grid.focus()
        self.press("End", "e")
        dialog = self.page.get_by_role("dialog", name="Edit and send")
        expect(dialog.get_by_role("textbox", name="URL")).to_be_focused()
        return dialog

    def send(self, dialog):
        """Sends the request; returns the exchange that was recorded."""
        self.press("Control+Enter")
        answer = dialog.get_by_role("region", name="Answer")
        expect(answer).not_to_have_attribute("aria-busy", "true")
        expect(answer.get_by_role("button", name="Exchange").last).to_be_visible()
        number = answer.get_by_role("button", name="Exchange").last.inner_text().split()[-1]
        return self.rig.api("GET", f"/exchanges/{number}")[2]

    def tab(self, dialog, name):
        dialog.get_by_role("tab", name=name).click()


class PairTests(ComposeCase):
    """Queries, headers and forms as pairs."""

    def test_query_and_url_are_the_same(self):
        dialog = self.edit("/json")
        self.tab(dialog, "Query")
        expect(dialog.get_by_label("Parameter 1 value")).to_have_value("café")
        dialog.get_by_label("Parameter 2 value").fill("b c")
        # What is not edited keeps its bytes.
        expect(dialog.get_by_label("URL")).to_have_value(self.rig.origin_url + "/json?q=caf%C3%A9&tags%5B%5D=b+c")
        dialog.get_by_label("Parameter 3 name").fill("new")
        self.press("Enter")
        expect(dialog.get_by_label("Parameter 3 value")).to_be_focused()
        self.page.keyboard.type("1")
        dialog.get_by_label("Use parameter 1").uncheck()
        expect(dialog.get_by_label("URL")).to_have_value(self.rig.origin_url + "/json?tags%5B%5D=b+c&new=1")
        dialog.get_by_label("URL").fill(self.rig.origin_url + "/json?only=this")
        expect(dialog.get_by_label("Parameter 1 name")).to_have_value("only")
        expect(dialog.get_by_label("Parameter 2 name")).to_have_value("")
        self.assertEqual(self.send(dialog)["request"]["query"], [["only", "this"]])

    def test_headers_are_added_moved_and_removed_by_keys(self):
        dialog = self.edit("/xml")
        self.tab(dialog, "Headers")
        names = lambda: [field.input_value() for field in dialog.get_by_label("name").filter(visible=True).all() if field.input_value()]
        before = names()
        dialog.get_by_label(f"Header {len(before) + 1} name").focus()
        self.page.keyboard.type("X-New")
        self.press("Enter")
        self.page.keyboard.type("yes")
        self.press("Alt+ArrowUp")
        self.assertEqual(names(), before[:-1] + ["X-New", before[-1]])
        dialog.get_by_label("Header 1 name").focus()
        self.press("Control+Backspace")
        self.assertEqual(names(), before[1:-1] + ["X-New", before[-1]])
        sent = self.send(dialog)["request"]["headers"]
        self.assertIn(["X-New", "yes"], sent)
        self.assertNotIn(before[0], [name for name, _ in sent])

    def test_a_field_of_a_form_is_edited_and_the_rest_keeps_its_bytes(self):
        self.rig.send("/form", "POST", b"a=%7e&b=1&c", {"Content-Type": "application/x-www-form-urlencoded"})
        dialog = self.edit("/form")
        dialog.get_by_label("Field 2 value").fill("é &")
        self.assertEqual(self.send(dialog)["request"]["body_text"], "a=%7e&b=%C3%A9+%26&c")

    def test_a_file_of_a_multipart_form_is_replaced(self):
        dialog = self.edit("/upload")
        expect(dialog.get_by_label("Part 1 value")).to_have_value("a.txt, application/octet-stream, 2 B")
        with self.page.expect_file_chooser() as chooser:
            dialog.get_by_role("button", name="File").first.click()
        chooser.value.set_files([{"name": "b.bin", "mimeType": "image/png", "buffer": b"\x89PNG\r\n\x00"}])
        expect(dialog.get_by_label("Part 1 value")).to_have_value("b.bin, image/png, 7 B")
        dialog.get_by_label("Part 2 name").fill("note")
        dialog.get_by_label("Part 2 value").fill("ü")
        parts = self.send(dialog)["request"]["multipart"]
        self.assertEqual([(part["name"], part["filename"], part["bytes"]) for part in parts], [("f", "b.bin", 7), ("note", None, 2)])


class BodyTests(ComposeCase):
    def test_a_mistake_in_json_is_named_with_line_and_column(self):
        dialog = self.edit("/order")
        body = dialog.get_by_role("textbox", name="Body")
        body.fill('{\n  "a": 1,\n  "b": [1 2]\n}')
        mistake = dialog.get_by_role("button", name="Line 3, column 11")
        expect(mistake).to_be_visible()
        mistake.click()
        expect(body).to_be_focused()
        self.assertEqual(body.evaluate("area => area.selectionStart"), 22)
        body.fill('{"long":12345678901234567890,"b":[]}')
        dialog.get_by_role("button", name="Format").click()
        expect(body).to_have_value('{\n  "long": 12345678901234567890,\n  "b": []\n}')
        dialog.get_by_role("button", name="One line").click()
        expect(body).to_have_value('{"long":12345678901234567890,"b":[]}')
        self.press("ControlOrMeta+z")
        expect(body).to_have_value('{\n  "long": 12345678901234567890,\n  "b": []\n}')

    def test_the_content_type_follows_the_kind_of_body(self):
        dialog = self.edit("/login")
        dialog.get_by_role("button", name="JSON").click()
        dialog.get_by_role("textbox", name="Body").fill('{"user":"ann"}')
        sent = self.send(dialog)["request"]
        self.assertIn(["Content-Type", "application/json"], sent["headers"])
        self.assertEqual(sent["json"], {"user": "ann"})
        dialog.get_by_role("button", name="As recorded").click()
        sent = self.send(dialog)["request"]
        self.assertEqual(sent["form"], [["user", "ann"], ["password", "hunter2"]])
        dialog.get_by_role("button", name="None").click()
        sent = self.send(dialog)["request"]
        self.assertEqual(sent["body_bytes"], 0)
        self.assertNotIn("Content-Type", [name for name, _ in sent["headers"]])


class AnswerTests(ComposeCase):
    def test_the_answer_is_beside_the_original_and_marked_in_the_list(self):
        dialog = self.edit("/html")
        dialog.get_by_label("URL").fill(self.rig.origin_url + "/html?status=404")
        sent = self.send(dialog)
        answer = dialog.get_by_role("table", name="Answer")
        expect(answer.get_by_role("row", name="Status")).to_contain_text("200")
        expect(answer.get_by_role("row", name="Status")).to_contain_text("404")
        expect(dialog.get_by_text("The responses differ.")).to_be_visible()
        expect(dialog.get_by_role("group", name="Original and new response")).to_contain_text("404 Not Found")
        self.assertEqual(self.serious(), [])
        # The request stays, to be sent again.
        dialog.get_by_label("URL").fill(self.rig.origin_url + "/html?status=200")
        again = self.send(dialog)
        expect(dialog.get_by_role("table", name="Answer").get_by_role("columnheader", name="New")).to_contain_text(again["id"])
        self.assertNotEqual(sent["id"], again["id"])
        self.press("Escape")
        expect(dialog).to_be_hidden()
        expect(self.grid.locator("[aria-selected=true]")).to_contain_text("status=200")
        expect(self.page.get_by_role("region", name=f"Exchange {again['id']}")).to_be_visible()

    def test_a_new_request_shows_its_response(self):
        self.press("n")
        dialog = self.page.get_by_role("dialog", name="New request")
        dialog.get_by_label("URL").fill(self.rig.origin_url + "/json")
        self.assertEqual(self.send(dialog)["method"], "GET")
        expect(dialog.get_by_role("treeitem").filter(has_text="Ann").first).to_be_visible()
        self.assertEqual(self.serious(), [])

    def test_what_is_wrong_is_said_where_it_is(self):
        self.press("n")
        dialog = self.page.get_by_role("dialog", name="New request")
        dialog.get_by_label("URL").fill("ftp://nowhere")
        self.press("Control+Enter")
        expect(dialog.get_by_role("alert").filter(has_text="neither http nor https")).to_be_visible()
        dialog.get_by_label("URL").fill("http://127.0.0.1:9/")
        self.press("Control+Enter")
        expect(dialog.get_by_role("region", name="Answer")).to_contain_text("refused")
        self.press("Escape")
        expect(dialog).to_be_hidden()

    def test_a_replay_offers_to_compare(self):
        self.filter("path=/xml")
        expect(self.grid.get_by_role("row")).to_have_count(2)
        self.grid.focus()
        self.press("End", "r")
        self.page.get_by_role("button", name="Compare").click()
        expect(self.page.get_by_role("dialog", name="Compare").get_by_role("table", name="Differences")).to_be_visible()

    def test_everything_is_there_on_a_narrow_screen(self):
        self.page.set_viewport_size({"width": 360, "height": 740})
        dialog = self.edit("/hostile")
        self.assertEqual(self.serious(), [])
        self.send(dialog)
        expect(dialog.get_by_role("table", name="Answer")).to_be_in_viewport()
        self.assertLessEqual(self.page.evaluate("document.documentElement.scrollWidth"), 360)

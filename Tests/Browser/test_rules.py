"""Rules that are made from what is seen, and the list of rules while others change it."""

import subprocess
from pathlib import Path

from playwright.sync_api import expect

from pages import PageCase
from rig import ENVIRONMENT, PROGRAMS


class RuleCase(PageCase):
    def tearDown(self):
        before = self.file()
        self.rig.api("PUT", "/rules/file", {"text": "", "before": before})
        for rule in self.rules():
            self.rig.api("DELETE", f"/rules/{rule['name'].replace(' ', '%20').replace('/', '%2F')}?temporary=true")
        super().tearDown()

    def rules(self):
        return self.rig.api("GET", "/rules")[2]["rules"]

    def file(self):
        return self.rig.api("GET", "/rules/file")[2]["text"]

    def write(self, text):
        status, _, answer = self.rig.api("PUT", "/rules/file", {"text": text, "before": self.file()})
        self.assertEqual(status, 200, answer)

    def menu(self, path):
        """Opens the menu of a row by the right mouse button."""
        self.grid.get_by_role("row").filter(has_text=path).first.click(button="right")
        return self.page.get_by_role("menu").first

    def form(self, path, item):
        self.menu(path).get_by_role("menuitem", name=item).click()
        dialog = self.page.get_by_role("dialog")
        expect(dialog.get_by_role("textbox", name="Applies to")).to_have_value(
            f"host=127.0.0.1 method={'POST' if path in ('/order', '/login') else 'GET'} path={path}")
        return dialog

    def add(self, dialog):
        dialog.get_by_role("button", name="Add rule").click()
        expect(dialog).to_be_hidden()


class MenuTests(RuleCase):
    """The menus of rows and values."""

    def test_a_row_has_a_menu_by_mouse_key_and_button(self):
        menu = self.menu("/order")
        expect(menu.get_by_role("menuitem", name="Replay")).to_be_focused()
        self.assertEqual(self.serious(), [])
        self.press("Escape")
        expect(menu).to_be_hidden()
        self.grid.focus()
        self.press("Shift+F10")
        expect(self.page.get_by_role("menu", name="Exchange 3")).to_be_visible()
        self.press("Escape")
        expect(self.grid).to_be_focused()
        row = self.grid.get_by_role("row").filter(has_text="/html")
        row.hover()
        row.get_by_role("button", name="More").click()
        expect(self.page.get_by_role("menu", name="Exchange 5")).to_be_visible()

    def test_a_long_press_opens_the_menu(self):
        context = self.new_context(has_touch=True, is_mobile=True)
        page = self.open_page(context)
        row = page.get_by_role("grid", name="Exchanges").get_by_role("row").filter(has_text="/html")
        box = row.bounding_box()
        touch = context.new_cdp_session(page)
        point = {"x": box["x"] + 60, "y": box["y"] + 12}
        touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [point]})
        expect(page.get_by_role("menu", name="Exchange 5")).to_be_visible()
        touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        expect(page.get_by_role("menu", name="Exchange 5")).to_be_visible()
        context.close()

    def test_the_list_is_narrowed_from_the_menu(self):
        bar = self.page.get_by_role("searchbox", name="Filter", exact=True)
        self.menu("/status/404").get_by_role("menuitem", name="Hide this status").click()
        expect(bar).to_have_value("status!=404")
        expect(self.grid.get_by_text("/status/404")).to_be_hidden()
        self.menu("/status/500").get_by_role("menuitem", name="Only this status").click()
        expect(bar).to_have_value("status!=404 status=500")
        expect(self.grid.get_by_role("row")).to_have_count(2)

    def test_copies_leave_out_credentials_if_that_is_chosen(self):
        self.rig.send("/secret", fields={"Authorization": "Bearer hunter2"})
        self.context.grant_permissions(["clipboard-read", "clipboard-write"])
        copied = lambda: self.page.evaluate("() => navigator.clipboard.readText()")
        expect(self.grid.get_by_text("/secret")).to_be_visible()
        self.menu("/secret").get_by_role("menuitem", name="Copy as").click()
        self.page.get_by_role("menuitem", name="cURL").click()
        expect(self.page.get_by_text("Copied as cURL", exact=True)).to_be_visible()
        self.assertIn("hunter2", copied())
        self.menu("/secret").get_by_role("menuitem", name="Copy as").click()
        self.page.get_by_role("menuitemcheckbox", name="Without credentials").click()
        for name in ("cURL", "HAR"):
            if not self.page.get_by_role("menuitem", name=name).is_visible():
                self.menu("/secret").get_by_role("menuitem", name="Copy as").click()
            self.page.get_by_role("menuitem", name=name).click()
            expect(self.page.get_by_text(f"Copied as {name}, without credentials")).to_be_visible()
            self.assertNotIn("hunter2", copied())

    def test_a_value_is_copied_filtered_and_rewritten(self):
        region = self.open_path("/json")
        region.get_by_text("café").first.click(button="right")
        menu = self.page.get_by_role("menu")
        menu.get_by_role("menuitem", name="Rewrite").click()
        dialog = self.page.get_by_role("dialog", name="Rewrite")
        expect(dialog.get_by_label("Name", exact=True).first).to_have_value("q")
        dialog.get_by_label("Value", exact=True).fill("tea")
        self.add(dialog)
        self.assertIn('{ set = "query:q", value = "tea" }', self.file())
        self.rig.send("/json?q=caf%C3%A9")
        self.filter("path=/json rule:rewrite")
        region.get_by_text("café").first.click(button="right")
        menu.get_by_role("menuitem", name="Only with this value").click()
        expect(self.page.get_by_role("searchbox", name="Filter", exact=True)).to_have_value(
            'path=/json rule:rewrite param.q="café"')

    def test_exchanges_are_deleted_after_a_question(self):
        for path in ("/gone/1", "/gone/2"):
            self.rig.send(path)
        self.filter("path:/gone")
        expect(self.grid.get_by_role("row")).to_have_count(3)
        self.menu("/gone/1").get_by_role("menuitem", name="Delete").click()
        dialog = self.page.get_by_role("dialog", name="Delete exchange")
        expect(dialog.get_by_role("button", name="Keep")).to_be_focused()
        dialog.get_by_role("button", name="Delete").click()
        expect(self.grid.get_by_role("row")).to_have_count(2)
        expect(self.grid.get_by_text("/gone/2")).to_be_visible()


class FormTests(RuleCase):
    """Rules that forms write."""

    def test_break_on_this_holds_the_next_request_and_can_be_undone(self):
        self.menu("/html").get_by_role("menuitem", name="Break on this").click()
        expect(self.page.get_by_text("Requests like this one are held")).to_be_visible()
        self.assertEqual([(rule["temporary"], rule["does"]) for rule in self.rules()], [(True, "request: { hold = true }")])
        # By this name the terminal interface ends it.
        self.assertEqual([rule["name"] for rule in self.rules()], ["break on GET /html"])
        self.assertTrue(self.rig.api("GET", "/holds")[2]["taking"])
        self.page.get_by_role("button", name="Undo").click()
        expect(self.page.get_by_text("Requests like this one are held")).to_be_hidden()
        self.wait_until(lambda: self.rules() == [])
        self.assertEqual(self.rig.send("/html"), 200)

    def wait_until(self, condition):
        for _ in range(200):
            if condition():
                return
            self.page.wait_for_timeout(50)
        self.fail("it did not happen")

    def test_block_says_what_it_would_have_matched_and_blocks(self):
        dialog = self.form("/xml", "Block")
        expect(dialog.get_by_text("Would have matched 1 of")).to_be_visible()
        dialog.get_by_role("textbox", name="Applies to").fill("path:/status")
        expect(dialog.get_by_text("Would have matched 2 of")).to_be_visible()
        dialog.get_by_label("The client gets").select_option("Answer 429 Too Many Requests")
        expect(dialog.get_by_role("group", name="The rule as text")).to_contain_text("block = 429")
        self.assertEqual(self.serious(), [])
        self.add(dialog)
        self.assertEqual(self.rig.send("/status/200"), 429)
        self.page.get_by_role("button", name="Undo").click()
        self.wait_until(lambda: self.rules() == [])
        self.assertEqual(self.rig.send("/status/200"), 200)

    def test_mock_starts_with_the_recorded_response(self):
        dialog = self.form("/json", "Mock")
        expect(dialog.get_by_label("Body")).to_have_value('{"user":{"name":"Ann","tags":["a","b"]},"ok":true}')
        dialog.get_by_label("Status").fill("203")
        dialog.get_by_text("Only until proxyd ends").click()
        self.add(dialog)
        self.assertEqual(self.file(), "")
        self.assertEqual(self.rig.send("/json"), 203)

    def test_throttle_takes_a_network_or_numbers(self):
        dialog = self.form("/xml", "Throttle")
        dialog.get_by_label("Network").select_option("Other values")
        dialog.get_by_label("Down").fill("64")
        expect(dialog.get_by_role("group", name="The rule as text")).to_contain_text("down_kbps = 64, up_kbps = 200, latency_ms = 120")
        self.add(dialog)
        self.assertIn("down_kbps = 64", self.file())

    def test_rewrite_changes_json_and_keeps_its_types(self):
        dialog = self.form("/order", "Rewrite")
        dialog.get_by_label("Part").select_option("JSON value")
        dialog.get_by_role("button", name="Add rule").click()
        expect(dialog.get_by_text("The path of the value is missing.")).to_be_visible()
        dialog.get_by_label("Path, such as").fill("items[0].price")
        dialog.get_by_label("Value", exact=True).fill("12.5")
        self.add(dialog)
        self.assertIn('{ set = "json:items[0].price", value = 12.5 }', self.file())

    def test_map_saves_the_response_and_serves_it(self):
        self.menu("/html").get_by_role("menuitem", name="Map to a file").click()
        dialog = self.page.get_by_role("dialog", name="Map to a file")
        self.add(dialog)
        rule, = self.rules()
        self.assertIn("serve", rule["does"])
        self.assertEqual(self.rig.send("/html"), 200)
        self.wait_until(lambda: self.rules()[0]["hits"] == 1)

    def test_mistakes_are_said_where_they_are(self):
        self.view("Rules")
        expect(self.page.get_by_role("heading", name="No rules yet")).to_be_visible()
        self.press("n")
        dialog = self.page.get_by_role("dialog", name="New rule")
        dialog.get_by_role("textbox", name="Applies to").fill("path:/a statsu=1")
        expect(dialog.get_by_text("Column 9")).to_be_visible()
        dialog.get_by_role("textbox", name="Applies to").fill("path:/a")
        dialog.get_by_label("Actions on requests").fill("throttle 3gg")
        expect(dialog.get_by_role("alert").filter(has_text="unknown network 3gg; did you mean 3g?")).to_be_visible()
        self.press("Escape")
        dialog.get_by_role("button", name="Discard").click()

    def test_a_file_that_cannot_be_written_leads_to_a_temporary_rule(self):
        dialog = self.form("/xml", "Block")
        self.page.route("**/api/v1/rules", lambda route: route.fulfill(
            status=409, content_type="application/problem+json",
            body='{"type":"about:blank","title":"Conflict","status":409,"detail":"rules.toml cannot be written"}')
            if route.request.method == "POST" and "\"temporary\":false" in route.request.post_data else route.continue_())
        dialog.get_by_role("button", name="Add rule").click()
        expect(dialog.get_by_text("rules.toml cannot be written")).to_be_visible()
        dialog.get_by_role("button", name="Add it until proxyd ends").click()
        expect(dialog).to_be_hidden()
        self.assertEqual([rule["temporary"] for rule in self.rules()], [True])


class ListTests(RuleCase):
    """The list of rules."""

    TEXT = "".join(
        f'# About {name}.\n[[rule]]\nname = "{name}"\nwhen = "path=/{name}"\ngroup = "letters"\nrequest = [{{ tag = "{name}" }}]\n\n'
        for name in ("alpha", "beta", "gamma"))

    def list(self, *names):
        self.view("Rules")
        grid = self.page.get_by_role("grid", name="Rules")
        expect(grid.get_by_role("row")).to_have_count(len(names) + 1)
        self.expect_order(*names)
        return grid

    def expect_order(self, *names):
        heads = self.page.get_by_role("grid", name="Rules").get_by_role("rowheader")
        expect(heads).to_have_count(len(names))
        for place, name in enumerate(names):
            expect(heads.nth(place)).to_contain_text(name)

    def test_a_rule_that_the_command_line_adds_appears_and_goes(self):
        self.view("Rules")
        expect(self.page.get_by_role("heading", name="No rules yet")).to_be_visible()
        self.assertEqual(self.serious(), [])
        run = lambda *words: subprocess.run(
            [PROGRAMS / "proxyctl", "--data-dir", self.rig.data, "rule", *words], env=ENVIRONMENT, check=True, stdout=subprocess.DEVNULL)
        run("add", "late", "--when", "path=/late", "--request", "block 410")
        grid = self.page.get_by_role("grid", name="Rules")
        expect(grid.get_by_text("late", exact=True)).to_be_visible()
        self.rig.send("/late")
        expect(grid.get_by_role("row").nth(1).get_by_role("gridcell").nth(3)).to_have_text("1")
        run("remove", "late")
        expect(self.page.get_by_role("heading", name="No rules yet")).to_be_visible()

    def test_rules_are_moved_by_keys_and_by_dragging(self):
        self.write(self.TEXT)
        grid = self.list("alpha", "beta", "gamma")
        grid.get_by_role("rowheader", name="beta").click()
        self.press("K")
        self.expect_order("beta", "alpha", "gamma")
        expect(grid.get_by_role("row", name="beta")).to_be_focused()
        self.press("J", "Alt+ArrowDown")
        self.expect_order("alpha", "gamma", "beta")
        handle = grid.get_by_role("row", name="beta").locator(".drag-handle")
        handle.drag_to(grid.get_by_role("row", name="alpha"), target_position={"x": 200, "y": 4})
        self.expect_order("beta", "alpha", "gamma")
        # Comments go with their rules.
        self.assertLess(self.file().index("# About beta."), self.file().index("# About alpha."))

    def test_rules_and_groups_are_switched(self):
        self.write(self.TEXT)
        grid = self.list("alpha", "beta", "gamma")
        switch = grid.get_by_role("switch", name="Rule alpha")
        grid.get_by_role("row", name="alpha").focus()
        self.press(" ")
        expect(switch).not_to_be_checked()
        expect(self.page.get_by_text("alpha is off")).to_be_visible()
        self.press(" ")
        expect(switch).to_be_checked()
        group = self.page.get_by_role("button", name="Group letters")
        group.click()
        expect(group).to_have_attribute("aria-pressed", "false")
        self.assertIn('[group."letters"]', self.file())
        group.click()
        expect(group).to_have_attribute("aria-pressed", "true")

    def test_a_rule_is_edited_by_form_and_as_text(self):
        self.write(self.TEXT)
        self.list("alpha", "beta", "gamma")
        self.page.get_by_role("row", name="beta").focus()
        self.press("e")
        dialog = self.page.get_by_role("dialog", name="Edit beta")
        expect(dialog.get_by_label("Actions on requests")).to_have_value('{ tag = "beta" }')
        dialog.get_by_role("textbox", name="Applies to").fill("path:/b")
        dialog.get_by_label("Actions on responses").fill("delay 5")
        dialog.get_by_role("button", name="Text", exact=True).click()
        text = dialog.get_by_role("textbox", name="Text", exact=True)
        expect(text).to_have_value(
            '# About beta.\n[[rule]]\nname = "beta"\nwhen = \'path:/b\'\ngroup = "letters"\nrequest = [{ tag = "beta" }]\n'
            'response = [\n  { delay_ms = 5 },\n]\n')
        text.fill(text.input_value() + "limit = 3\n")
        self.assertEqual(self.serious(), [])
        dialog.get_by_role("button", name="Save").click()
        expect(dialog).to_be_hidden()
        self.assertIn("limit = 3", self.file())
        self.assertIn("# About beta.", self.file())
        self.page.get_by_role("button", name="Undo").click()
        expect(self.page.get_by_role("row", name="beta")).to_contain_text("path=/beta")

    def test_a_removed_rule_comes_back_where_it_was(self):
        self.write(self.TEXT)
        self.list("alpha", "beta", "gamma")
        self.page.get_by_role("row", name="alpha").focus()
        self.press("d")
        self.expect_order("beta", "gamma")
        self.page.get_by_role("button", name="Undo").click()
        self.expect_order("alpha", "beta", "gamma")

    def test_the_exchanges_of_a_rule_are_listed(self):
        self.write(self.TEXT)
        self.rig.send("/gamma")
        self.list("alpha", "beta", "gamma")
        self.page.get_by_role("button", name="Exchanges of gamma").click()
        expect(self.grid.get_by_role("row")).to_have_count(2)
        expect(self.page.get_by_role("searchbox", name="Filter", exact=True)).to_have_value("rule=gamma")

    def test_mistakes_of_the_file_are_shown_with_their_lines(self):
        self.write(self.TEXT)
        self.list("alpha", "beta", "gamma")
        file = Path(self.rig.api("GET", "/rules")[2]["file"])
        file.write_text(self.TEXT + "[[rule]]\nname = \"broken\"\nrequest = [{ blok = 1 }]\n")
        alert = self.page.get_by_role("alert").filter(has_text="The file has a mistake.")
        expect(alert).to_contain_text("rules.toml:24")
        self.expect_order("alpha", "beta", "gamma")
        alert.get_by_role("button", name="Edit file").click()
        editor = self.page.get_by_role("dialog", name="Edit rules").get_by_label("rules.toml")
        expect(editor).to_be_focused()
        self.assertEqual(editor.evaluate("area => area.value.slice(area.selectionStart, area.selectionEnd)"), "request = [{ blok = 1 }]")
        editor.fill(self.TEXT)
        expect(self.page.get_by_text("They would match 0 of the")).to_be_visible()
        self.press("Control+Enter")
        expect(alert).to_be_hidden()

    def test_temporary_changes_leave_the_file_alone(self):
        self.write(self.TEXT)
        self.list("alpha", "beta", "gamma")
        self.page.get_by_role("switch", name="Change until proxyd ends").check()
        self.page.get_by_role("row", name="alpha").focus()
        self.press(" ")
        expect(self.page.get_by_role("switch", name="Rule alpha")).not_to_be_checked()
        self.assertEqual(self.file(), self.TEXT)

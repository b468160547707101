"""Tests of the page in a real browser. They find everything by role and name, as a screen reader
does."""

import json
import re
import unittest

from playwright.sync_api import expect

from pages import PageCase
from rig import ROOT


class PageTests(PageCase):
    def test_token_leaves_address(self):
        self.assertNotIn("token", self.page.url)
        self.page.reload()
        expect(self.grid).to_be_visible()

    def test_wrong_filter_says_where(self):
        self.filter("nosuchfield=1")
        expect(self.page.get_by_role("alert").filter(has_text="column 1")).to_be_visible()

    def test_keyboard_opens_and_closes(self):
        region = self.open_last()
        self.page.keyboard.press("2")
        expect(region.get_by_role("tab", name="Request")).to_have_attribute("aria-selected", "true")
        self.page.keyboard.press("Escape")
        expect(region).to_be_hidden()
        expect(self.grid).to_be_focused()

    def test_captured_markup_never_runs(self):
        for path in ("/html", "/hostile"):
            region = self.open_path(path)
            for tab in region.get_by_role("tab").all():
                tab.click()
            region.get_by_role("tab", name="Response").click()
            expect(region.get_by_text("onerror" if path == "/hostile" else "owned").first
                   ).to_be_visible()
            self.assertNotEqual(self.page.title(), "owned")
            self.page.keyboard.press("Escape")

    def test_two_exchanges_are_compared(self):
        self.grid.focus()
        for key in ("Home", "m", "m", "D"):
            self.page.keyboard.press(key)
        table = self.page.get_by_role("dialog").get_by_role("table", name="Differences")
        expect(table.get_by_text("/json?q=caf%C3%A9").first).to_be_visible()
        expect(table.get_by_text("/login").first).to_be_visible()

    def test_fields_are_completed_with_their_meaning(self):
        bar = self.page.get_by_role("searchbox", name="Filter")
        bar.press_sequentially("stat")
        expect(self.page.get_by_role("option", name="status=")).to_be_visible()
        bar.press("Escape")

    def test_form_parameters_are_decoded(self):
        region = self.open_path("/login")
        expect(region.get_by_text("hunter2").first).to_be_visible()

    def test_two_pages_follow_while_the_daemon_is_restarted(self):
        other = self.open_page()
        address = self.rig.daemon.address
        self.assertEqual(self.rig.daemon.stop(), 0)
        self.rig.start_daemon(address)
        self.rig.send("/after-the-restart")
        for page in (self.page, other):
            row = page.get_by_role("grid", name="Exchanges").get_by_text("/after-the-restart")
            expect(row.first).to_be_visible()

    def test_the_page_of_a_file_shows_only_its_exchanges(self):
        _, _, rows = self.rig.api("GET", "/export?format=har&filter=path%3D%2Forder")
        token = {"Authorization": f"Bearer {self.rig.token}", "Content-Type": "application/octet-stream"}
        answer = self.context.request.post(
            f"{self.rig.page}api/v1/imports?name=order.har&mode=look", headers=token,
            data=json.dumps(rows) if isinstance(rows, dict) else rows)
        self.assertEqual(answer.status, 200, answer.text())
        # The tab that is open has the token.
        page = self.context.new_page()
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.goto(f"{self.rig.page}files/{answer.json()['file']}/")
        grid = page.get_by_role("grid", name="Exchanges")
        expect(grid.get_by_role("row")).to_have_count(2)
        expect(grid.get_by_role("row").nth(1)).to_contain_text("/order")
        self.filter("path=/nowhere", page)
        expect(page.get_by_role("heading", name="No exchange passes the filter")).to_be_visible()
        page.reload()
        expect(page.get_by_role("heading", name="No exchange passes the filter")).to_be_visible()
        page.get_by_role("main").get_by_role("button", name="Clear filter").click()
        grid.focus()
        page.keyboard.press("End")
        page.keyboard.press("Enter")
        expect(page.get_by_role("region", name="Exchange ").get_by_role("treeitem", name="price: 9.5")).to_be_visible()
        self.assertIn("/files/", page.url)
        expect(page).to_have_title("order.har – proxyd")
        expect(self.grid.get_by_role("row")).to_have_count(10)

    def test_views_are_accessible(self):
        self.assertEqual(self.serious(), [], "List")
        for view, shown in (
                ("Tree", self.page.get_by_role("treeitem").first), ("Waterfall", self.grid.get_by_role("row").nth(1)),
                ("Summary", self.page.get_by_text("Exchanges over time")), ("Rules", self.page.get_by_role("heading", name="No rules yet"))):
            self.view(view)
            expect(shown).to_be_visible()
            self.assertEqual(self.serious(), [], view)

    def test_what_scrolls_is_reached_with_the_keyboard(self):
        self.page.set_viewport_size({"width": 1280, "height": 260})
        for view in ["List", "Waterfall"]:
            self.view(view)
            expect(self.grid.get_by_role("row").nth(1)).to_be_visible()
            self.assertEqual(self.serious(), [], view)
        self.page.keyboard.press("?")
        expect(self.page.get_by_role("dialog", name="Keys and signs")).to_be_visible()
        self.assertEqual(self.serious(), [], "Help")

    def test_a_question_about_a_draft_is_accessible(self):
        self.page.keyboard.press("n")
        dialog = self.page.get_by_role("dialog", name="New request")
        dialog.get_by_label("URL", exact=True).fill("http://shop.test/")
        self.page.keyboard.press("Escape")
        expect(dialog.get_by_role("alertdialog")).to_be_visible()
        self.assertEqual(self.serious(), [])

    def test_a_pressed_button_does_not_look_focused(self):
        follow = self.page.get_by_role("button", name="Follow")
        expect(follow).to_have_attribute("aria-pressed", "true")
        ring = "(one) => { const { outlineStyle, borderColor, boxShadow } = getComputedStyle(one); return [outlineStyle, borderColor, boxShadow]; }"
        self.assertEqual(follow.evaluate(ring), ["none", "rgba(0, 0, 0, 0)", "none"])
        follow.focus()
        self.assertNotEqual(follow.evaluate(ring)[0], "none")

    def test_on_a_phone_the_list_keeps_more_than_half_of_the_height(self):
        context = self.new_context(viewport={"width": 360, "height": 740}, has_touch=True)
        page = self.open_page(context)
        page.get_by_role("button", name="Holds").tap()
        expect(page.get_by_role("region", name="Holds")).to_be_visible()
        grid = page.get_by_role("grid", name="Exchanges")
        self.assertGreater(grid.bounding_box()["height"], 370)
        self.assertEqual(self.serious(page), [])
        row = grid.get_by_role("row").filter(has_text="/order")
        self.assertGreaterEqual(row.bounding_box()["height"], 36)
        row.tap()
        expect(page.get_by_role("region", name="Exchange ").get_by_text("/order").first).to_be_visible()
        self.assertEqual(page.evaluate("() => document.documentElement.scrollWidth"), 360)
        context.close()

    def test_exchange_is_accessible(self):
        region = self.open_last()
        for tab in region.get_by_role("tab").all():
            tab.click()
            self.page.wait_for_timeout(200)
            self.assertEqual(self.serious(), [], tab.inner_text())


class PageFilesTests(unittest.TestCase):
    FOLDER = ROOT / "Sources" / "Web" / "Page"
    IMPORT = re.compile(r"^(?:import|export)\b[^;]*?'\./([^']+)';", re.MULTILINE)

    def test_no_module_imports_itself_through_others(self):
        # Modules that are read when they are first used may point back.
        imports = {file.name: self.IMPORT.findall(file.read_text()) for file in self.FOLDER.glob("*.js")}
        while leaves := [name for name, others in imports.items() if not set(others) & set(imports)]:
            for name in leaves:
                del imports[name]
        self.assertEqual(sorted(imports), [])

    def test_index_names_what_the_page_reads_first(self):
        needed, waiting = set(), ["app.js"]
        while waiting:
            name = waiting.pop()
            if name not in needed:
                needed.add(name)
                waiting += self.IMPORT.findall((self.FOLDER / name).read_text())
        index = (self.FOLDER / "index.html").read_text()
        named = re.findall(r'rel="modulepreload" href="/page/([^"]+)"', index)
        self.assertEqual(sorted(named), sorted(needed - {"app.js"}))


if __name__ == "__main__":
    unittest.main()

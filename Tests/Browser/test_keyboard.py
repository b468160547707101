"""Everything is done with the keyboard alone, and one always sees where one is."""

import unittest

from playwright.sync_api import expect

from pages import PageCase

# Why the focus cannot be seen, or null. A grid and a tree show it on the row that is current.
FOCUS = """() => {
    const focused = document.activeElement;
    if (!focused || focused === document.body) return 'nothing has the focus';
    if (!focused.matches(':focus-visible')) return `${focused.outerHTML.slice(0, 120)} does not show it`;
    const box = focused.getBoundingClientRect();
    if (box.width < 1 || box.height < 1) return `${focused.outerHTML.slice(0, 120)} has no size`;
    if (box.bottom < 1 || box.top > innerHeight) return `${focused.outerHTML.slice(0, 120)} is outside`;
    const shows = (element) => {
        const style = getComputedStyle(element);
        return (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1) || style.boxShadow !== 'none';
    };
    const inside = '.row.selected, .list-head, :scope > .line';
    if (shows(focused) || [...focused.querySelectorAll(inside)].some(shows)) return null;
    return `${focused.outerHTML.slice(0, 120)} has no ring`;
}"""


class KeyboardTests(PageCase):
    def press(self, *keys):
        """Presses keys; after each, something visible has the focus."""
        for key in keys:
            self.page.keyboard.press(key)
            self.expect_focus(key)

    def expect_focus(self, after):
        # Parts that are read first take the focus when they come.
        for _ in range(20):
            problem = self.page.evaluate(FOCUS)
            if problem is None:
                return
            self.page.wait_for_timeout(50)
        self.fail(f"after {after}: {problem}")

    def type(self, text):
        self.page.keyboard.type(text)

    def focused(self):
        return self.page.locator(":focus")

    def select(self, path):
        """Filters, and selects the last exchange that is left."""
        self.press("/")
        self.type(f"path={path}")
        self.press("Enter")
        expect(self.grid).to_be_focused()
        self.press("End")
        row = self.grid.locator("[aria-selected=true]")
        expect(row).to_contain_text(path)

    def dialog(self, name):
        dialog = self.page.get_by_role("dialog", name=name)
        expect(dialog).to_be_visible()
        return dialog

    def test_tab_goes_through_everything(self):
        self.select("/order")
        self.press("Enter")
        names = []
        for _ in range(60):
            self.page.keyboard.press("Tab")
            if self.page.evaluate("() => document.activeElement === document.body"):
                break
            self.expect_focus("Tab")
            names.append(self.page.evaluate(
                "() => document.activeElement.ariaLabel ?? document.activeElement.textContent"))
        for name in ("Replay", "Copy as", "Overview", "Copy URL"):
            self.assertIn(name, names)

    def test_reading(self):
        self.select("/order")
        self.press("Enter")
        region = self.page.get_by_role("region", name="Exchange ")
        for key, name in (("2", "Request"), ("3", "Response"), ("5", "Timing"), ("1", "Overview")):
            self.press(key)
            expect(region.get_by_role("tab", name=name)).to_have_attribute("aria-selected", "true")
        self.press("2", "f")
        expect(region.get_by_label("Search the request body")).to_be_focused()
        self.type("price")
        expect(region.locator("mark").first).to_have_text("price")
        self.press("Escape", "Escape")
        expect(region.get_by_role("group", name="Body of the request")).to_be_focused()
        self.press("Escape")
        expect(region).to_be_hidden()
        expect(self.grid).to_be_focused()

    def test_sending_again(self):
        self.select("/login")
        self.press("r")
        region = self.page.get_by_role("region", name="Exchange 1")
        expect(region).to_be_visible()
        self.press("Escape")
        self.select("/login")
        self.press("e")
        dialog = self.dialog("Edit and send")
        expect(dialog.get_by_label("URL", exact=True)).to_be_focused()
        self.press("End")
        self.type("?edited=1")
        self.press("Control+Enter")
        expect(dialog.get_by_role("table", name="Answer")).to_be_visible()
        expect(dialog.get_by_label("URL", exact=True)).to_be_focused()
        self.press("Escape")
        expect(dialog).to_be_hidden()
        expect(self.page.get_by_role("region", name="Exchange 1").get_by_text("edited").first).to_be_visible()
        self.expect_focus("sending")

    def test_notes_tags_and_undo(self):
        self.select("/xml")
        self.press(";")
        self.dialog("Note on")
        self.type("by hand")
        self.press("Control+Enter")
        expect(self.grid.get_by_role("gridcell", name="note: by hand")).to_be_visible()
        self.press("t")
        self.dialog("Tags of")
        self.type("one two")
        self.press("Enter")
        expect(self.page.get_by_text("Tags saved")).to_be_visible()
        undo = self.page.get_by_role("button", name="Undo").last
        undo.focus()
        self.press("Enter")
        self.press("Enter")
        region = self.page.get_by_role("region", name="Exchange ")
        expect(region.get_by_text("by hand")).to_be_visible()
        expect(region.get_by_text("two", exact=True)).to_have_count(0)

    def test_copying(self):
        self.select("/order")
        self.press("Y")
        expect(self.page.get_by_text("Copied as cURL")).to_be_visible()

    def test_comparing(self):
        self.select("/status/404")
        self.press("m", "u", "End", "ArrowUp", "ArrowUp", "m", "D")
        expect(self.dialog("Compare").get_by_role("table", name="Differences")).to_be_visible()
        self.press("Tab", "Escape")
        expect(self.grid).to_be_focused()
        self.press("Escape")
        expect(self.grid.get_by_role("gridcell", name="marked")).to_have_count(0)

    def test_views(self):
        for key, name in (("T", "Tree"), ("S", "Summary"), ("L", "Rules"), ("l", "List"), ("W", "Waterfall"), ("W", "List")):
            self.press(key)
            expect(self.page.get_by_role("navigation").get_by_role("button", name=name)
                   ).to_have_attribute("aria-current", "page")
        self.press("T")
        tree = self.page.get_by_role("tree")
        expect(tree.get_by_role("treeitem").first).to_be_focused()
        self.press("ArrowRight", "ArrowDown", "Enter")
        expect(self.grid).to_be_visible()
        self.expect_focus("choosing a folder")
        self.press("u")

    def test_dialogs_give_the_focus_back(self):
        self.grid.focus()
        self.press("End")
        for key, name in (("?", "Keys and signs"), ("C", "Columns"), ("X", "Export"), ("n", "New request"), ("z", "Delete")):
            self.press(key)
            self.dialog(name)
            self.press("Tab", "Tab", "Shift+Tab", "Escape")
            expect(self.grid).to_be_focused()
        self.press("H")
        tray = self.page.get_by_role("region", name="Holds")
        expect(tray.get_by_role("switch", name="Hold messages")).to_be_focused()
        self.press("H")
        expect(tray).to_be_hidden()

    def test_sorting_and_columns(self):
        self.page.get_by_role("button", name="Sort by status").focus()
        self.press("Enter", "Alt+ArrowRight")
        expect(self.focused()).to_have_attribute("aria-label", "Sort by status")
        self.press("Enter", "Enter")
        self.grid.focus()
        self.press("o")
        self.page.get_by_role("menu", name="Sort by").get_by_role("menuitem", name="Method").focus()
        self.press("Enter")
        heading = self.page.get_by_role("columnheader", name="Method")
        expect(heading).to_have_attribute("aria-sort", "ascending")
        self.press("v")
        expect(heading).to_have_attribute("aria-sort", "descending")

    def test_rules_are_switched(self):
        before = self.rig.api("GET", "/rules/file")[2]["text"]
        text = '[[rule]]\nname = "slow"\nwhen = "path=/slow"\nrequest = [{ delay_ms = 1 }]\n'
        status, _, answer = self.rig.api("PUT", "/rules/file", {"text": text, "before": before})
        self.assertEqual(status, 200, answer)
        self.press("L")
        switch = self.page.get_by_role("switch", name="Rule slow")
        expect(switch).to_be_checked()
        expect(self.page.get_by_role("row", name="slow")).to_be_focused()
        self.press("Tab")
        expect(switch).to_be_focused()
        self.press(" ")
        expect(self.page.get_by_text("slow is off")).to_be_visible()
        expect(switch).not_to_be_checked()
        expect(switch).to_be_focused()


class TwoPagesTests(PageCase):
    def test_each_shows_what_the_other_changes(self):
        other = self.open_page()
        rows = other.get_by_role("grid", name="Exchanges")
        self.filter("path=/order")
        expect(self.grid.get_by_role("row")).to_have_count(2)
        expect(rows.get_by_role("row")).to_have_count(10)
        self.grid.focus()
        self.page.keyboard.press("End")
        self.page.keyboard.press("p")
        expect(rows.get_by_role("gridcell", name="pinned")).to_be_visible()
        self.page.get_by_role("button", name="Undo").click()
        expect(rows.get_by_role("gridcell", name="pinned")).to_be_hidden()
        self.rig.send("/order", "POST", b"{}")
        expect(self.grid.get_by_role("row")).to_have_count(3)
        expect(rows.get_by_role("row")).to_have_count(11)


if __name__ == "__main__":
    unittest.main()

"""Two sets of exchanges, compared in the page."""

import re
import unittest

from playwright.sync_api import expect

from pages import PageCase


class CompareTests(PageCase):
    @classmethod
    def prepare(cls):
        for path in ("/same?run=1", "/gone?run=1", "/changed?run=1"):
            cls.rig.send(path)
        for path in ("/same?run=2", "/%3Cimg%3E?run=2", "/changed?run=2&status=500"):
            cls.rig.send(path)
        cls.rig.wait_for_count(6)

    def setUp(self):
        super().setUp()
        self.dialog = self.page.get_by_role("dialog", name="Compare two sets")
        self.table = self.dialog.get_by_role("table", name="Differences")
        self.grid.focus()
        self.press("V")
        expect(self.dialog).to_be_visible()

    def compare(self, before, after, ignore=""):
        for name, text in (("Before", before), ("After", after), ("Ignore", ignore)):
            self.dialog.get_by_label(name).fill(text)
        self.press("Enter")

    def compare_runs(self):
        self.compare("param.run=1", "param.run=2", "query:run query:status")
        # Which are slower depends on how busy the machine is.
        expect(self.dialog.get_by_role("status")).to_contain_text(
            "1 same, 1 new, 1 gone, 1 changed, ")

    def test_differences_are_listed_and_open(self):
        self.compare_runs()
        expect(self.table.get_by_role("row").nth(1)).to_contain_text("/%3Cimg%3E?run=2")
        self.dialog.get_by_role("button", name="Swap").click()
        row = self.table.get_by_role("row").nth(1)
        expect(row).to_contain_text("/gone?run=1")
        expect(row).to_contain_text("new")
        row.get_by_role("button", name="Open exchange 2").click()
        expect(self.dialog).to_have_count(0)
        region = self.page.get_by_role("region", name="Exchange 2")
        expect(region.get_by_role("tab", name="Overview")).to_be_visible()

    def test_a_pair_is_compared_line_by_line(self):
        self.compare_runs()
        expect(self.table.get_by_role("row").nth(3)).to_contain_text("status 200 → 500")
        self.table.get_by_role("button", name="Compare 3 and 6").first.click()
        lines = self.page.get_by_role("dialog", name="Compare", exact=True)
        expect(lines.get_by_text("HTTP/1.1 500")).to_be_visible()
        self.press("Escape")
        expect(self.table).to_be_visible()

    def test_keys_go_from_difference_to_difference(self):
        self.compare_runs()
        self.table.get_by_role("button", name="Compare 3 and 6").first.click()
        lines = self.page.get_by_role("dialog", name="Compare", exact=True)
        current = lines.get_by_role("row").and_(lines.locator("[aria-current=true]"))
        left_out = lines.get_by_text(re.compile(r"^\d+ equal lines"))
        expect(left_out.first).to_be_visible()
        self.press("n")
        expect(current).to_contain_text("run=1")
        self.press("n")
        expect(current).not_to_contain_text("run=1")
        self.press("N", "x")
        expect(lines.get_by_role("columnheader").nth(1)).to_have_text("Exchange 6")
        self.press("a")
        expect(left_out).to_have_count(0)
        self.assertEqual(self.serious(), [])

    def test_the_second_set_is_what_the_list_shows(self):
        self.press("Escape")
        expect(self.grid).to_be_focused()
        self.filter("param.run=2")
        expect(self.grid.get_by_role("row")).to_have_count(4)
        self.grid.focus()
        self.press("V")
        expect(self.dialog.get_by_label("After")).to_have_value("param.run=2")

    def test_mistakes_are_said(self):
        status = self.dialog.get_by_role("status")
        self.compare("pth=1", "")
        expect(status).to_contain_text("before, column 1:")
        self.compare("path=/nowhere", "")
        expect(status).to_contain_text("nothing matches path=/nowhere")
        self.compare("", "", "path:/a")
        expect(status).to_contain_text("cannot ignore path:/a")


if __name__ == "__main__":
    unittest.main()

"""The tasks of a debugging day, with the clicks and keys that each takes.

Each click and each key counts one, and so does a typed text that any tool would need."""

import unittest

from playwright.sync_api import expect

from pages import PageCase


class TaskTests(PageCase):
    def setUp(self):
        super().setUp()
        self.count = 0
        self.region = self.page.get_by_role("region", name="Exchange ")

    def tearDown(self):
        print(f"{self._testMethodName}: {self.count}")
        super().tearDown()

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

    def row(self, text):
        return self.grid.get_by_role("row").filter(has_text=text).first

    def test_json_is_read(self):
        self.click(self.row("/json"))
        self.key("3")
        expect(self.region.get_by_role("treeitem").filter(has_text="Ann").first).to_be_visible()

    def test_copy_as_curl(self):
        self.click(self.row("/order"))
        self.key("Y")
        expect(self.page.get_by_text("Copied as cURL")).to_be_visible()
        text = self.page.evaluate("() => navigator.clipboard.readText()")
        self.assertTrue(text.startswith("curl ") and "/order" in text, text)

    def test_filter_by_host_and_status(self):
        self.key("/")
        self.type("host=127.0.0.1 status=404")
        self.key("Enter")
        expect(self.grid.get_by_role("row")).to_have_count(2)

    def test_body_is_saved(self):
        self.click(self.row("/json"))
        self.key("3")
        with self.page.expect_download() as download:
            self.click(self.region.get_by_role("button", name="Save the response body"))
        self.assertIn(b'"Ann"', download.value.path().read_bytes())


if __name__ == "__main__":
    unittest.main()

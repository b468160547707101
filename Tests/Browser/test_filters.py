"""The filter's switches for everyday conditions, saved filters, and the keys that narrow the list."""

import unittest

from playwright.sync_api import expect

from conversations import grpc_call, web_socket
from pages import PageCase


class ChipTests(PageCase):
    @classmethod
    def prepare(cls):
        cls.rig.record()
        cls.rig.import_rows(grpc_call(1, "Get", 5, "no%20such%20user") + web_socket(2))

    def setUp(self):
        super().setUp()
        self.bar = self.page.get_by_role("searchbox", name="Filter", exact=True)
        self.chips = self.page.get_by_role("group", name="Everyday filters")

    def chip(self, name):
        return self.chips.get_by_role("button", name=name, exact=True)

    def expect_pressed(self, *names):
        for chip in self.chips.get_by_role("button").all():
            expect(chip).to_have_attribute("aria-pressed", str(chip.inner_text() in names).lower())

    def expect_rows(self, count):
        expect(self.grid.get_by_role("row")).to_have_count(count + 1)

    def test_switches_of_one_kind_are_alternatives_and_of_two_kinds_both_hold(self):
        self.chip("4xx").click()
        expect(self.bar).to_have_value("status=4xx")
        self.expect_rows(1)
        self.chip("5xx").click()
        expect(self.bar).to_have_value("status=4xx or status=5xx")
        self.expect_rows(2)
        self.chip("JSON").click()
        expect(self.bar).to_have_value("(status=4xx or status=5xx) type:json")
        self.expect_pressed("4xx", "5xx", "JSON")
        self.chip("4xx").click()
        expect(self.bar).to_have_value("status=5xx type:json")
        self.chip("5xx").click()
        self.chip("JSON").click()
        expect(self.bar).to_have_value("")
        self.expect_pressed()

    def test_switches_keep_what_was_typed_and_follow_it(self):
        self.filter("path:login or path:order")
        self.chip("2xx").click()
        expect(self.bar).to_have_value("(path:login or path:order) status=2xx")
        self.expect_rows(2)
        self.filter("status=2xx not path:login")
        self.expect_pressed("2xx")
        self.chip("2xx").click()
        expect(self.bar).to_have_value("not path:login")
        self.filter("status=4xx or host:nowhere")
        self.expect_pressed()

    def test_a_switch_keeps_a_filter_that_is_still_being_checked(self):
        waiting = []
        self.page.route("**/filter/check?*", lambda route: waiting.append(route) if not waiting else route.continue_())
        self.bar.fill("path:login")
        with self.page.expect_request("**/filter/check?*"):
            self.bar.press("Enter")
        self.chip("2xx").click()
        waiting[0].continue_()
        expect(self.bar).to_have_value("path:login status=2xx")
        self.expect_rows(1)

    def test_every_switch_is_a_filter_that_finds_what_it_says(self):
        found = {"2xx": 8, "3xx": 0, "4xx": 1, "5xx": 1, "JSON": 2, "Images": 0, "WebSocket": 1, "gRPC": 1, "Errors": 3}
        for name, count in found.items():
            with self.subTest(name):
                self.filter("")
                self.expect_rows(11)
                self.chip(name).click()
                self.expect_rows(count)
                self.expect_pressed(name)

    def test_a_test_without_its_value_is_no_mistake_until_enter(self):
        self.bar.press_sequentially("status=404 host=")
        option = self.page.get_by_role("option", name="host=shop.test")
        expect(option).to_be_visible()
        alert = self.page.get_by_role("alert").filter(has_text="column")
        expect(alert).to_have_count(0)
        self.press("Enter")
        expect(alert).to_be_visible()
        expect(option).to_be_hidden()

    def test_letters_typed_during_a_check_stay(self):
        # Only the first check waits, until more was typed.
        waiting = []

        def check(route):
            if waiting:
                route.continue_()
            else:
                waiting.append(route)

        self.page.route("**/filter/check?*", check)
        with self.page.expect_request("**/filter/check?*"):
            self.bar.press_sequentially("path:sta")
        self.bar.press_sequentially("tus")
        waiting[0].continue_()
        self.expect_rows(2)
        expect(self.bar).to_have_value("path:status")

    def test_letters_typed_after_enter_stay_while_the_filter_is_checked(self):
        waiting = []
        self.page.route("**/filter/check?*", lambda route: waiting.append(route) if not waiting else route.continue_())
        self.bar.fill("path:sta")
        with self.page.expect_request("**/filter/check?*"):
            self.bar.press("Enter")
        self.bar.press_sequentially("tus")
        waiting[0].continue_()
        self.expect_rows(2)
        expect(self.bar).to_have_value("path:status")

    def test_the_keys_hide_and_show_one_status(self):
        self.filter("path:status")
        self.expect_rows(2)
        self.grid.focus()
        self.press("Home", "!")
        expect(self.bar).to_have_value("path:status status!=404")
        self.expect_rows(1)
        self.press("u")
        self.expect_rows(2)


class SavedFilterTests(PageCase):
    def setUp(self):
        super().setUp()
        self.bar = self.page.get_by_role("searchbox", name="Filter", exact=True)
        self.list = self.page.get_by_role("dialog", name="Saved filters")
        self.filter("status=404")
        expect(self.grid.get_by_role("row")).to_have_count(2)

    def save(self, name):
        self.grid.focus()
        self.press("N")
        expect(self.list.get_by_role("textbox", name="Name of the filter")).to_be_focused()
        self.page.keyboard.type(name)
        self.press("Enter")
        expect(self.choice(name)).to_be_visible()

    def choice(self, name):
        return self.list.get_by_role("button", name=name, exact=False).first

    def test_a_filter_is_saved_and_used_again_after_a_reload(self):
        self.save("Missing")
        self.assertEqual(self.serious(), [])
        self.press("Escape")
        self.filter("")
        expect(self.grid.get_by_role("row")).to_have_count(10)
        self.page.reload()
        expect(self.grid.get_by_role("row").nth(1)).to_be_visible()
        self.page.get_by_role("button", name="Saved filters").click()
        self.choice("Missing").click()
        expect(self.bar).to_have_value("status=404")
        expect(self.grid.get_by_role("row")).to_have_count(2)

    def test_a_saved_filter_is_renamed_deleted_and_brought_back(self):
        self.save("Missing")
        self.list.get_by_role("button", name="Rename Missing").click()
        self.page.keyboard.type("Not found")
        self.press("Enter")
        expect(self.choice("Not found")).to_be_visible()
        expect(self.list.get_by_text("Missing")).to_have_count(0)
        self.list.get_by_role("button", name="Delete Not found").click()
        expect(self.list.get_by_text("Not found")).to_have_count(0)
        self.press("Escape")
        self.page.get_by_role("button", name="Undo").click()
        self.filter("")
        self.grid.focus()
        self.press("@")
        expect(self.choice("Not found")).to_be_focused()
        self.press("Enter")
        expect(self.bar).to_have_value("status=404")

    def test_without_a_filter_the_list_says_how_to_save_one(self):
        self.filter("")
        self.page.get_by_role("button", name="Saved filters").click()
        expect(self.list.get_by_text("Type a filter first")).to_be_visible()
        expect(self.list.get_by_role("button", name="Save this filter")).to_be_disabled()


if __name__ == "__main__":
    unittest.main()

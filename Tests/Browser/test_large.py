"""The list over 200,000 rows."""

import unittest

from playwright.sync_api import expect

from pages import PageCase

COUNT = 200_000
HOSTS = 20
ROW_HEIGHT = 24


def rows():
    for number in range(1, COUNT + 1):
        host = f"host{number % HOSTS}.example.com"
        yield {
            "method": "GET", "url": f"https://{host}/rows/{number}",
            "status": 404 if number % 1000 == 0 else 200, "started_at": "2026-01-05T09:00:00Z",
            "request": {"headers": [["Host", host]]}, "response": {"headers": []},
        }


class LargeTests(PageCase):
    @classmethod
    def prepare(cls):
        # Without a daemon, the import writes into the store itself.
        cls.rig.daemon.stop()
        cls.rig.import_rows(rows())

    def row(self, number):
        return self.grid.get_by_role("row").filter(has=self.page.get_by_text(f"/rows/{number}", exact=True))

    def first_visible(self):
        """The number of the row at the upper edge."""
        return self.page.evaluate("""() => {
            const edge = document.querySelector('.scroller').getBoundingClientRect().top;
            const rows = [...document.querySelectorAll('.list-body .row')];
            const first = rows.filter((row) => row.getBoundingClientRect().bottom > edge + 1)
                .sort((a, b) => a.index - b.index)[0];
            return first.index + 1;
        }""")

    def element_count(self):
        return self.page.evaluate("() => document.querySelectorAll('*').length")

    def test_the_keys_reach_both_ends(self):
        self.grid.focus()
        self.press("End")
        expect(self.grid).to_have_attribute("aria-activedescendant", f"row-{COUNT - 1}")
        expect(self.row(COUNT)).to_be_in_viewport()
        expect(self.grid).to_have_attribute("aria-rowcount", str(COUNT + 1))
        self.press("ArrowUp", "ArrowUp", "PageUp")
        expect(self.grid).not_to_have_attribute("aria-activedescendant", f"row-{COUNT - 1}")
        self.press("Home")
        expect(self.row(1)).to_be_in_viewport()
        expect(self.grid).to_have_attribute("aria-activedescendant", "row-0")

    def test_the_wheel_moves_exactly(self):
        self.scroll_to(0.5)
        self.grid.hover()
        before = self.first_visible()
        for notches in (5, -3):
            self.page.mouse.wheel(0, notches * ROW_HEIGHT)
            before += notches
            self.page.wait_for_timeout(200)
            self.assertEqual(self.first_visible(), before)
            expect(self.row(before + 1)).to_be_in_viewport()

    def scroll_to(self, share):
        """Drags the scroll bar, and waits for the row that is there then."""
        # The height of the list follows the number of rows, which is known a little later.
        expect(self.grid).to_have_attribute("aria-rowcount", str(COUNT + 1))
        self.page.evaluate("""(share) => {
            const scroller = document.querySelector('.scroller');
            scroller.scrollTop = Math.round(share * scroller.scrollHeight / 24) * 24;
        }""", share)
        expect(self.row(round(share * COUNT) + 5)).to_be_in_viewport()

    def test_elements_stay_few(self):
        before = self.element_count()
        for step in range(10, -1, -1):
            self.scroll_to(min(0.999, step / 10))
        self.assertLess(self.element_count(), before + 50)
        self.assertLess(before, 1_500)

    def test_rows_that_come_before_the_scroll_event_leave_the_list_where_it_is(self):
        expect(self.row(COUNT)).to_be_in_viewport()
        self.page.evaluate("""() => {
            const list = document.querySelector('exchange-list');
            list.scroller.scrollTop = 24 * 100_000;
            list.source.dispatchEvent(new Event('rows'));
        }""")
        expect(self.row(100_005)).to_be_in_viewport()

    def test_a_filter_finds_one_and_many(self):
        self.filter("path=/rows/123456")
        expect(self.row(123456)).to_be_visible()
        expect(self.grid.get_by_role("row")).to_have_count(2)
        expect(self.page.get_by_label("Matching exchanges")).to_have_text("1 exchange")
        self.filter("status=404")
        expect(self.page.get_by_label("Matching exchanges")).to_have_text("200 exchanges")
        expect(self.row(COUNT)).to_be_in_viewport()
        self.grid.focus()
        self.press("Home")
        expect(self.row(1000)).to_be_in_viewport()
        self.page.get_by_role("search").get_by_role("button", name="Clear filter").click()
        expect(self.page.get_by_label("Matching exchanges")).to_have_text("200,000 exchanges")

    def test_a_sorted_list_starts_at_once(self):
        self.page.get_by_role("button", name="Sort by status").click()
        expect(self.grid.get_by_text("404").first).to_be_visible()
        self.page.get_by_role("button", name="Sort by status").click()
        expect(self.row(1)).to_be_visible()


if __name__ == "__main__":
    unittest.main()

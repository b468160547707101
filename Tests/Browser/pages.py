"""What the tests of the page share: a browser, a page, and ways to use it by role and name."""

import os
import re
import unittest
from pathlib import Path

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect, sync_playwright

from rig import ROOT, Rig

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
# While the page is being changed: its files are taken from the source, not from the program.
TAKES_SOURCE = os.environ.get("PROXYD_PAGE_SOURCE") == "1"


class PageCase(unittest.TestCase):
    """One rig and one browser for all tests of a class, and a new page for each."""

    size = {"width": 1280, "height": 800}
    # Whether the store has exchanges, for which a new page waits.
    has_rows = True

    @classmethod
    def setUpClass(cls):
        cls.rig = Rig().__enter__()
        cls.addClassCleanup(cls.rig.__exit__)
        cls.prepare()
        playwright = sync_playwright().start()
        cls.addClassCleanup(playwright.stop)
        cls.browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox"])
        cls.addClassCleanup(cls.browser.close)

    @classmethod
    def prepare(cls):
        """Fills the store."""
        cls.rig.record()

    def setUp(self):
        self.problems = []
        self.context = self.new_context()
        self.page = self.open_page()
        self.grid = self.page.get_by_role("grid", name="Exchanges")

    def tearDown(self):
        self.context.close()
        self.assertEqual(self.problems, [])

    def new_context(self, **options):
        context = self.browser.new_context(
            **{"viewport": self.size, "permissions": ["clipboard-write"], **options})
        if TAKES_SOURCE:
            context.route("**/page/*", take_source)
            context.route(re.compile(r"^http://[^/]+/(files/\d+/)?([?#].*)?$"), take_document)
        return context

    def open_page(self, context=None):
        """Opens the page, and waits for its rows."""
        page = (context or self.context).new_page()
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("dialog", lambda dialog: self.problems.append(dialog.message))
        page.goto(self.rig.web.address)
        grid = page.get_by_role("grid", name="Exchanges")
        expect(grid.get_by_role("row").nth(1 if self.has_rows else 0)).to_be_visible()
        return page

    def filter(self, text, page=None):
        bar = (page or self.page).get_by_role("searchbox", name="Filter", exact=True)
        bar.fill(text)
        bar.press("Enter")

    def open_last(self):
        self.grid.focus()
        self.page.keyboard.press("End")
        # The last rows may have to be read first.
        expect(self.grid.locator("[aria-selected=true]")).to_be_visible()
        self.page.keyboard.press("Enter")
        region = self.page.get_by_role("region", name="Exchange ")
        expect(region.get_by_role("tab", name="Overview")).to_be_visible()
        return region

    def open_path(self, path):
        """Opens the exchange of a path."""
        self.filter(f"path={path}")
        rows = self.grid.get_by_role("row")
        # The filter before may have left one row, too.
        expect(rows.filter(has_text=path)).to_have_count(1)
        expect(rows).to_have_count(2)
        return self.open_last()

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)

    def serious(self, page=None):
        """What keeps people from using the page, as axe finds it, in both themes."""
        page = page or self.page
        found = []
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            found += [(scheme, v["id"], [n["html"][:150] for n in v["nodes"]][:3])
                      for v in Axe().run(page).response["violations"]]
        page.emulate_media(color_scheme="light", reduced_motion="no-preference")
        return found

    def view(self, name):
        self.page.get_by_role("navigation").get_by_role("button", name=name).click()


def take_document(route):
    document = ROOT / "Sources" / "Web" / "Page" / "index.html"
    route.fulfill(response=route.fetch(), body=document.read_text())


def take_source(route):
    file = ROOT / "Sources" / "Web" / "Page" / Path(route.request.url).name
    kind = "text/css" if file.suffix == ".css" else "text/javascript"
    route.fulfill(status=200, content_type=kind, body=file.read_text())

"""The page without exchanges, without a daemon, and without its server: it says so, and what to
type."""

import json
import re
import unittest
from pathlib import Path

from playwright.sync_api import expect

from pages import PageCase
from rig import Program

# Takes the place of the event stream: a test sends the events.
EVENTS = """() => {
    const original = window.fetch;
    window.fetch = (url, options) => {
        if (!String(url).includes('/events')) return original(url, options);
        if (window.hasEnded) return Promise.reject(new TypeError('offline'));
        const stream = new ReadableStream({ start: (controller) => {
            window.endEvents = () => {
                window.hasEnded = true;
                controller.close();
            };
            window.sendEvent = (name, data) => controller.enqueue(
                new TextEncoder().encode(`event: ${name}\\ndata: ${JSON.stringify(data)}\\n\\n`));
        } });
        return Promise.resolve(new Response(stream));
    };
}"""


def refuse_rows(page, status, detail):
    """The server does not bring exchanges to a page any more."""
    problem = json.dumps({"type": "about:blank", "title": "", "status": status, "detail": detail})
    page.route("**/api/v1/exchanges?*", lambda route: route.fulfill(
        status=status, content_type="application/problem+json", body=problem))


class EmptyStoreTests(PageCase):
    has_rows = False

    @classmethod
    def prepare(cls):
        pass

    def test_the_first_commands_name_the_right_port_and_certificate(self):
        proxy = f"curl -x http://{self.rig.daemon.address}"
        certificate = f"{self.rig.data}/ca/ca.pem"
        expect(self.page.get_by_text(f"{proxy} http://example.com/", exact=True)).to_be_visible()
        expect(self.page.get_by_text(f"{proxy} --cacert {certificate} https://example.com/", exact=True)
               ).to_be_visible()
        expect(self.page.get_by_text("8080")).to_have_count(0)
        expect(self.page.get_by_text("waiting for the exchange")).to_have_count(0)
        self.assertEqual(self.serious(), [])

    def test_a_command_is_copied(self):
        self.context.grant_permissions(["clipboard-read", "clipboard-write"])
        command = f"curl -x http://{self.rig.daemon.address} http://example.com/"
        self.page.get_by_role("button", name=f"Copy {command}").click()
        expect(self.page.get_by_text("Copied the command")).to_be_visible()
        self.assertEqual(self.page.evaluate("() => navigator.clipboard.readText()"), command)

    def test_an_empty_tree_does_not_blame_the_filter(self):
        self.view("Tree")
        expect(self.page.get_by_text("Nothing is recorded yet")).to_be_visible()

    def test_nothing_cannot_be_deleted(self):
        self.press("z")
        dialog = self.page.get_by_role("dialog", name="Delete exchanges")
        expect(dialog.get_by_role("button", name="Delete 0 exchanges")).to_be_disabled()


class NoStoreTests(PageCase):
    has_rows = False

    @classmethod
    def prepare(cls):
        """A page for a folder in which there is nothing."""
        cls.rig.daemon.stop()
        cls.rig.web.stop()
        cls.rig.data += "-new"
        cls.rig.start_web()

    def test_the_page_says_how_to_start_and_then_follows(self):
        expect(self.page.get_by_role("heading", name="Nothing is recorded yet")).to_be_visible()
        command = f"proxyd --data-dir {self.rig.data}"
        expect(self.page.get_by_text(re.compile(f"{re.escape(command)}$"))).to_be_visible()
        for view in ("Tree", "Summary", "List"):
            self.view(view)
            expect(self.page.get_by_text("Nothing is recorded yet")).to_be_visible()
        expect(self.page.get_by_text("captures.sqlite")).to_have_count(0)
        expect(self.page.get_by_text("proxyd is not running")).to_be_visible()
        self.rig.start_daemon()
        expect(self.page.get_by_text(f"curl -x {self.rig.proxy} http://example.com/", exact=True)
               ).to_be_visible()
        self.rig.send("/first")
        expect(self.grid.get_by_role("row").filter(has_text="/first")).to_be_visible()


class NoRowsTests(PageCase):
    """The store has exchanges, but none can be shown."""

    def refuse(self, status, detail):
        """Reloads the page, whose server does not bring exchanges any more."""
        refuse_rows(self.page, status, detail)
        self.page.reload()

    def test_without_a_result_the_filter_can_be_cleared_or_left_for_the_previous_one(self):
        self.filter("status=404")
        expect(self.grid.get_by_role("row")).to_have_count(2)
        self.filter("path=/nowhere")
        expect(self.page.get_by_role("heading", name="No exchange passes the filter")).to_be_visible()
        self.assertEqual(self.serious(), [])
        self.page.get_by_role("button", name="Previous filter").click()
        expect(self.grid.get_by_role("row")).to_have_count(2)
        self.filter("path=/nowhere")
        self.page.get_by_role("main").get_by_role("button", name="Clear filter").click()
        expect(self.grid.get_by_role("row")).to_have_count(10)

    def test_a_failure_is_said_once_and_can_be_tried_again(self):
        self.refuse(500, "captures.sqlite: the disk image is malformed")
        expect(self.page.get_by_role("heading", name="The exchanges could not be read")).to_be_visible()
        expect(self.page.get_by_text("the disk image is malformed")).to_have_count(1)
        expect(self.page.get_by_role("button", name=f"Copy proxyctl --data-dir {self.rig.data} check")).to_be_visible()
        expect(self.page.get_by_text("Nothing is recorded yet")).to_have_count(0)
        self.assertEqual(self.serious(), [])
        self.page.unroute_all()
        self.page.get_by_role("button", name="Try again").click()
        expect(self.grid.get_by_role("row")).to_have_count(10)

    def test_missing_permission_is_named(self):
        for status in (403, 503):
            self.refuse(status, "/var/lib/proxyd/captures.sqlite: Permission denied")
            expect(self.page.get_by_role("heading", name="No permission to read this")).to_be_visible()
            expect(self.page.get_by_text("/var/lib/proxyd/captures.sqlite: Permission denied")).to_be_visible()
            expect(self.page.get_by_role("button", name=f"Copy ls -ld {self.rig.data}")).to_be_visible()
            self.page.unroute_all()


class BannerTests(PageCase):
    def banner(self, page=None):
        return (page or self.page).get_by_role("alert").filter(has_text="is not running")

    def test_a_daemon_that_ends_is_missed_until_it_is_back(self):
        state = self.page.get_by_role("contentinfo")
        expect(state).to_contain_text("live")
        address = self.rig.daemon.address
        self.rig.daemon.stop()
        expect(self.banner()).to_be_visible()
        expect(self.page.get_by_role("button", name=f"Copy proxyd --data-dir {self.rig.data}")).to_be_visible()
        expect(state).not_to_contain_text("live")
        self.assertEqual(self.serious(), [])
        self.rig.start_daemon(address)
        self.rig.send("/again")
        expect(self.banner()).to_be_hidden()
        expect(state).to_contain_text("live")

    def test_a_store_that_is_gone_is_missed_until_it_is_back(self):
        self.rig.daemon.stop()
        folder = Path(self.rig.data)
        folder.rename(folder.with_name("elsewhere"))
        banner = self.page.get_by_role("alert").filter(has_text="The store is gone")
        try:
            expect(banner).to_be_visible()
            expect(self.page.get_by_role("button", name=f"Copy proxyd --data-dir {self.rig.data}")).to_be_visible()
            expect(self.grid.get_by_role("row").nth(1)).to_be_visible()
        finally:
            folder.with_name("elsewhere").rename(folder)
            self.rig.start_daemon()
        expect(banner).to_be_hidden()

    def test_the_banner_can_be_hidden(self):
        page = self.open_with_events()
        status = self.rig.api("GET", "/status")[2]
        self.send_event(page, "status", {**status, "daemon": False, "recording": False, "addresses": []})
        expect(self.banner(page)).to_be_visible()
        page.get_by_role("button", name="Hide this message").click()
        expect(self.banner(page)).to_be_hidden()

    def test_a_status_of_the_server_is_taken_at_once(self):
        page = self.open_with_events()
        status = self.rig.api("GET", "/status")[2]
        state = page.get_by_role("contentinfo")
        self.send_event(page, "status", {**status, "daemon": False, "recording": False, "addresses": []})
        expect(self.banner(page)).to_be_visible()
        expect(state).not_to_contain_text("live")
        why = "the disk is full"
        self.send_event(page, "status", {**status, "recording": False, "recording_stopped_because": why})
        expect(self.banner(page)).to_be_hidden()
        expect(page.get_by_role("alert").filter(has_text=why)).to_be_visible()
        self.send_event(page, "status", {**status, "addresses": ["127.0.0.1:9"], "rules_problem": "rules.toml:3: oh"})
        expect(page.get_by_role("alert").filter(has_text=why)).to_be_hidden()
        expect(state).to_contain_text("127.0.0.1:9")
        expect(state).to_contain_text("rules.toml:3: oh")

    def test_holds_of_the_server_appear_in_the_open_tray(self):
        page = self.open_with_events()
        page.get_by_role("button", name="Holds").click()
        tray = page.get_by_role("region", name="Holds")
        expect(tray.get_by_text("Nothing is held.")).to_be_visible()
        hold = {
            "hold": 7, "exchange": "1", "phase": "request", "rule": "look", "method": "POST",
            "url": "http://shop.test/orders", "status": None, "since": "2026-01-05T09:00:00Z",
            "deadline": None, "claimed_by": None}
        self.send_event(page, "holds", {"taking": True, "holds": [hold]})
        expect(page.get_by_role("button", name="Holds 1")).to_be_visible()
        expect(tray.get_by_text("http://shop.test/orders")).to_be_visible()
        expect(tray.get_by_role("switch", name="Hold messages")).to_be_checked()
        self.send_event(page, "holds", {"taking": False, "holds": []})
        expect(tray.get_by_text("Nothing is held.")).to_be_visible()

    def open_with_events(self):
        self.context.add_init_script(f"({EVENTS})()")
        page = self.open_page()
        page.wait_for_function("() => window.sendEvent")
        # What is read at the start must not arrive after the events of the test.
        expect(page.get_by_role("contentinfo")).to_contain_text("proxyd listens on")
        return page

    def send_event(self, page, name, data):
        page.evaluate("([name, data]) => window.sendEvent(name, data)", [name, data])


class ServerTests(PageCase):
    @classmethod
    def prepare(cls):
        cls.rig.record()
        cls.rig.web.stop()
        cls.token_file = f"{cls.rig.folder}/token"
        cls.restart("127.0.0.1:0")

    @classmethod
    def restart(cls, listen):
        """Starts the server with the same token each time."""
        cls.rig.start_web("--listen", listen, "--token-file", cls.token_file)
        with open(cls.token_file) as file:
            cls.rig.token = file.read().strip()
        # The address is printed without the token.
        cls.rig.page = cls.rig.web.address.split()[0]
        cls.rig.web.address = f"{cls.rig.page}#token={cls.rig.token}"

    def test_a_server_that_ends_is_missed_until_it_is_back(self):
        address = self.rig.page.removeprefix("http://").rstrip("/")
        self.page.wait_for_function("() => customElements.get('exchange-view')")
        self.rig.web.stop()
        banner = self.page.get_by_role("alert").filter(has_text="proxyctl web has ended")
        expect(banner).to_be_visible()
        # What has not been loaded yet cannot be loaded now.
        self.page.keyboard.press("?")
        expect(self.page.get_by_role("status").filter(has_text="this part of the page cannot be loaded")).to_be_visible()
        command = f"proxyctl --data-dir {self.rig.data} web"
        expect(self.page.get_by_role("button", name=f"Copy {command}")).to_be_visible()
        expect(self.page.get_by_role("contentinfo")).to_contain_text("not connected")
        self.restart(address)
        expect(banner).to_be_hidden(timeout=15_000)
        expect(self.page.get_by_role("contentinfo")).to_contain_text("live")


class OtherTokenTests(PageCase):
    def test_a_token_that_is_no_longer_valid_is_asked_for_again(self):
        address = self.rig.page.removeprefix("http://").rstrip("/")
        expect(self.page.get_by_role("contentinfo")).to_contain_text("proxyd listens on")
        self.rig.web.stop()
        self.rig.start_web("--listen", address)
        expect(self.page.get_by_role("alert")).to_contain_text("The token is no longer valid", timeout=15_000)
        expect(self.page.get_by_role("button", name=f"Copy proxyctl --data-dir {self.rig.data} web")).to_be_visible()
        self.assertEqual(self.serious(), [])
        self.page.get_by_role("textbox", name="Link or token").fill(self.rig.web.address)
        self.page.get_by_role("button", name="Open").click()
        expect(self.grid.get_by_role("row").nth(1)).to_be_visible()


class FileTests(PageCase):
    @classmethod
    def prepare(cls):
        """A page for a file, which no daemon writes."""
        cls.rig.record()
        _, _, content = cls.rig.api("GET", "/export?format=har")
        file = Path(cls.rig.folder) / "session.har"
        file.write_text(json.dumps(content) if isinstance(content, dict) else content.decode())
        cls.rig.web.stop()
        cls.rig.web = Program("proxyctl", "--file", file, "web", "--no-open", prefix="proxyctl: ")

    def test_a_file_misses_no_daemon(self):
        expect(self.page.get_by_role("contentinfo")).to_contain_text("read-only")
        expect(self.page.get_by_text("is not running")).to_have_count(0)
        expect(self.page.get_by_role("button", name="Record")).to_be_hidden()


class TokenPageTests(PageCase):
    def test_the_token_page_is_one_labelled_field(self):
        self.page.evaluate("() => sessionStorage.clear()")
        page = self.new_context().new_page()
        page.goto(self.rig.page)
        field = page.get_by_role("textbox", name="Link or token")
        expect(field).to_be_focused()
        self.assertLess(field.bounding_box()["height"], 40)
        self.assertEqual(self.serious(page), [])
        field.fill("no token")
        page.keyboard.press("Enter")
        expect(page.get_by_role("alert")).to_contain_text("neither the link nor the token")
        field.fill(self.rig.web.address)
        page.keyboard.press("Enter")
        expect(page.get_by_role("grid", name="Exchanges")).to_be_visible()
        page.context.close()


if __name__ == "__main__":
    unittest.main()

"""Messages that rules hold, while the page is open and after it was closed."""

import threading
import time

from playwright.sync_api import expect

from pages import PageCase

RULE = '[[rule]]\nname = "orders"\nwhen = "path=/held"\nrequest = [{ hold = true }]\n'


class HoldTests(PageCase):
    @classmethod
    def prepare(cls):
        super().prepare()
        status, _, file = cls.rig.api("GET", "/rules/file")
        assert status == 200, file
        status, _, answer = cls.rig.api(
            "PUT", "/rules/file", {"text": RULE, "before": file["text"]})
        assert status == 200, answer

    def send_held(self):
        """Sends a request that is held; `statuses` gets its status."""
        statuses = []
        client = threading.Thread(target=lambda: statuses.append(self.rig.send("/held")))
        client.start()
        self.addCleanup(client.join, 60)
        self.addCleanup(self.rig.api, "POST", "/holds/resume-all", {})
        return client, statuses

    def hold_messages(self):
        """Opens the tray and turns holding on."""
        self.page.get_by_role("button", name="Holds").click()
        tray = self.page.get_by_role("region", name="Holds")
        tray.get_by_role("switch", name="Hold messages").check()
        self.wait_for(lambda: self.rig.api("GET", "/holds")[2]["taking"])
        return tray

    def wait_for(self, condition):
        deadline = time.monotonic() + 30
        while not condition():
            self.assertLess(time.monotonic(), deadline)
            self.page.wait_for_timeout(50)

    def test_a_message_that_is_held_while_the_tray_is_open_appears_and_can_continue(self):
        tray = self.hold_messages()
        expect(tray.get_by_text("Nothing is held.")).to_be_visible()
        client, statuses = self.send_held()
        proceed = tray.get_by_role("button", name="Let hold")
        expect(tray.get_by_role("listitem")).to_contain_text("/held")
        proceed.click()
        client.join(30)
        self.assertEqual(statuses, [200])
        expect(tray.get_by_text("Nothing is held.")).to_be_visible()

    def test_holding_ends_ten_seconds_after_the_last_tab_was_closed(self):
        self.hold_messages()
        client, statuses = self.send_held()
        expect(self.page.get_by_role("button", name="Holds 1")).to_be_visible()
        self.context.close()
        # Far below the 5 minutes for which a message is held at most.
        client.join(45)
        self.assertEqual(statuses, [200])
        self.assertFalse(self.rig.api("GET", "/holds")[2]["taking"])
        # Nothing is held any more.
        self.assertEqual(self.rig.send("/held"), 200)
        self.context = self.new_context()

    def test_holding_goes_on_while_a_tab_is_loaded_again(self):
        self.hold_messages()
        self.page.reload()
        expect(self.grid.get_by_role("row").nth(1)).to_be_visible()
        self.wait_for(lambda: self.rig.api("GET", "/holds")[2]["taking"])
        client, statuses = self.send_held()
        expect(self.page.get_by_role("button", name="Holds 1")).to_be_visible()
        self.rig.api("POST", "/holds/resume-all", {})
        client.join(30)
        self.assertEqual(statuses, [200])

    def test_the_event_stream_reports_a_daemon_that_ends(self):
        expect(self.page.get_by_text("proxyd listens on")).to_be_visible()
        self.rig.daemon.stop()
        try:
            expect(self.page.get_by_text("proxyd is not running").first).to_be_visible()
        finally:
            self.rig.start_daemon()
        expect(self.page.get_by_text("proxyd listens on")).to_be_visible()

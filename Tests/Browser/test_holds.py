"""Messages that rules hold, while the page is open and after it was closed."""

import threading
import time

from playwright.sync_api import expect

from pages import PageCase

RULE = '[[rule]]\nname = "orders"\nwhen = "path=/held"\nrequest = [{ hold = true }]\n'


class HoldCase(PageCase):
    """Messages are held by a rule for `/held`."""

    @classmethod
    def prepare(cls):
        super().prepare()
        status, _, file = cls.rig.api("GET", "/rules/file")
        assert status == 200, file
        status, _, answer = cls.rig.api(
            "PUT", "/rules/file", {"text": RULE, "before": file["text"]})
        assert status == 200, answer

    def send_held(self, path="/held", body=None, fields=None):
        """Sends a request that is held; `statuses` gets its status."""
        statuses = []
        method = "POST" if body else "GET"
        client = threading.Thread(
            target=lambda: statuses.append(self.rig.send(path, method, body, fields)))
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

    def received(self, path):
        """The newest exchange of a path, in full."""
        _, _, found = self.rig.api("GET", f"/exchanges?filter=path%3D{path}&limit=1")
        return self.rig.api("GET", f"/exchanges/{found['exchanges'][0]['id']}")[2]


class HoldTests(HoldCase):
    def test_a_message_that_is_held_while_the_tray_is_open_appears_and_can_continue(self):
        tray = self.hold_messages()
        expect(tray.get_by_text("Nothing is held.")).to_be_visible()
        client, statuses = self.send_held()
        expect(tray.get_by_role("listitem")).to_contain_text("/held")
        tray.get_by_role("listitem").get_by_role("button", name="Let hold").click()
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


class HeldMessageTests(HoldCase):
    """What can be done with a held message."""

    def hold(self):
        tray = self.hold_messages()
        client, statuses = self.send_held(
            "/held", b'{"qty":0}', {"Content-Type": "application/json", "X-Kind": "plain"})
        expect(tray.get_by_role("textbox", name="Body")).to_have_value('{"qty":0}')
        return tray, client, statuses

    def header(self, tray, name):
        """The field of a header's value."""
        names = tray.get_by_label("name").filter(visible=True).all()
        place = [field.input_value() for field in names].index(name) + 1
        return tray.get_by_label(f"Header {place} value")

    def test_a_request_is_edited_and_goes_on(self):
        tray, client, statuses = self.hold()
        tray.get_by_role("textbox", name="Body").fill('{"qty":7')
        expect(tray.get_by_role("button", name="Line 1, column 9")).to_be_visible()
        tray.get_by_role("textbox", name="Body").fill('{"qty":7}')
        expect(tray.get_by_text("Valid JSON")).to_be_visible()
        tray.get_by_role("textbox", name="URL").press("End")
        self.page.keyboard.type("?status=418")
        self.header(tray, "X-Kind").fill("edited")
        self.press("Control+Enter")
        client.join(30)
        self.assertEqual(statuses, [418])
        sent = self.received("/held")["request"]["sent"]
        self.assertEqual(sent["body_text"], '{"qty":7}')
        self.assertIn(["X-Kind", "edited"], sent["headers"])

    def test_the_head_can_be_edited_as_text(self):
        tray, client, statuses = self.hold()
        tray.get_by_role("button", name="Edit as text").click()
        head = tray.get_by_role("textbox", name="Head")
        head.fill(head.input_value().replace("X-Kind: plain", "X-Kind: as text"))
        tray.get_by_role("button", name="Edit as fields").click()
        tray.get_by_role("button", name="go on as edited").click()
        client.join(30)
        self.assertEqual(statuses, [200])
        self.assertIn(["X-Kind", "as text"], self.received("/held")["request"]["sent"]["headers"])

    def test_the_client_gets_an_answer_by_keys_alone(self):
        self.page.keyboard.press("H")
        tray = self.page.get_by_role("region", name="Holds")
        switch = tray.get_by_role("switch", name="Hold messages")
        expect(switch).to_be_focused()
        self.wait_for(lambda: switch.is_checked() == self.rig.api("GET", "/holds")[2]["taking"])
        if not switch.is_checked():
            self.press("B")
        expect(tray.get_by_role("switch", name="Hold messages")).to_be_checked()
        client, statuses = self.send_held()
        expect(tray.get_by_role("textbox", name="URL")).to_be_visible()
        self.press("j", "a")
        status = tray.get_by_role("textbox", name="Status")
        expect(status).to_be_focused()
        self.press("ControlOrMeta+a")
        self.page.keyboard.type("503")
        self.press("Control+Enter")
        client.join(30)
        self.assertEqual(statuses, [503])
        expect(tray.get_by_text("Nothing is held.")).to_be_visible()
        self.press("Escape")
        expect(tray).to_be_hidden()

    def test_breaking_on_an_exchange_opens_the_tray_for_the_next_request(self):
        self.grid.get_by_role("row").filter(has_text="/xml").click()
        self.grid.focus()
        self.press("B")
        expect(self.page.get_by_text("Requests like this one are held")).to_be_visible()
        tray = self.page.get_by_role("region", name="Holds")
        expect(tray).to_be_hidden()
        client, statuses = self.send_held("/xml")
        expect(tray.get_by_role("listitem")).to_contain_text("/xml")
        expect(self.grid).to_be_focused()
        tray.get_by_role("listitem").get_by_role("button", name="Let hold").click()
        client.join(30)
        self.assertEqual(statuses, [200])
        # The same key ends it.
        self.grid.focus()
        self.press("B")
        expect(self.page.get_by_text("Requests like this one pass again")).to_be_visible()
        self.assertEqual(self.rig.send("/xml"), 200)

    def test_what_was_written_stays_after_escape(self):
        tray, client, _ = self.hold()
        body = tray.get_by_role("textbox", name="Body")
        body.fill('{"qty":9}')
        self.press("Escape")
        expect(tray.locator(":focus")).to_contain_text("/held")
        self.press("Escape")
        expect(tray).to_be_hidden()
        self.press("H")
        expect(body).to_have_value('{"qty":9}')
        self.press("Escape")
        self.rig.api("POST", "/holds/resume-all", {})
        client.join(30)

    def test_a_message_that_ends_elsewhere_while_it_is_edited_says_so(self):
        tray, client, _ = self.hold()
        body = tray.get_by_role("textbox", name="Body")
        body.fill('{"mine":true}')
        self.rig.api("POST", "/holds/resume-all", {})
        client.join(30)
        expect(tray.get_by_role("alert").filter(has_text="not held any more")).to_be_visible()
        expect(body).to_have_value('{"mine":true}')
        tray.get_by_role("button", name="Send as a new request").click()
        dialog = self.page.get_by_role("dialog", name="New request")
        expect(dialog.get_by_role("textbox", name="Body")).to_have_value('{"mine":true}')
        self.press("Escape")
        dialog.get_by_role("button", name="Discard").click()
        tray.get_by_role("button", name="Close", exact=True).click()
        expect(tray.get_by_text("Nothing is held.")).to_be_visible()

    def test_the_tray_has_no_barriers(self):
        tray, client, _ = self.hold()
        self.assertEqual(self.serious(), [])
        tray.get_by_role("button", name="Let all go on").click()
        client.join(30)


class InterceptTests(HoldCase):
    """The box that holds messages without a rule."""

    def box(self, page=None):
        return (page or self.page).get_by_role("textbox", name="Intercept")

    def intercept(self, text):
        self.box().fill(text)
        self.box().press("Enter")

    def test_a_filter_holds_messages_until_it_is_ended(self):
        self.intercept("path:/pay")
        expect(self.page.get_by_text("is held from now on")).to_be_visible()
        client, statuses = self.send_held("/pay")
        expect(self.page.get_by_role("button", name="Holds 1")).to_be_visible()
        self.page.get_by_role("button", name="End intercepting").click()
        client.join(30)
        self.assertEqual(statuses, [200])
        expect(self.box()).to_have_value("")
        self.assertEqual(self.rig.send("/pay"), 200)

    def test_responses_are_held_if_their_switch_is_on(self):
        self.page.get_by_role("button", name="Intercept responses").click()
        self.page.get_by_role("button", name="Intercept requests").click()
        self.intercept("path:/answer")
        expect(self.page.get_by_text("is held from now on")).to_be_visible()
        client, statuses = self.send_held("/answer")
        # What was asked for on this page opens the tray.
        tray = self.page.get_by_role("region", name="Holds")
        tray.get_by_role("textbox", name="Status").fill("202")
        tray.get_by_role("button", name="go on as edited").click()
        client.join(30)
        self.assertEqual(statuses, [202])
        self.page.get_by_role("button", name="End intercepting").click()

    def test_what_is_set_elsewhere_is_shown(self):
        intercept = {"filter": "path:/elsewhere", "request": True, "response": False}
        self.assertEqual(self.rig.api("PUT", "/holds/intercept", intercept)[0], 200)
        expect(self.box()).to_have_value("path:/elsewhere")
        expect(self.page.get_by_role("button", name="End intercepting")).to_be_visible()
        self.rig.api("PUT", "/holds/intercept", {"filter": None})
        expect(self.box()).to_have_value("")

    def test_a_wrong_filter_says_where(self):
        self.intercept("path:/pay statsu=2")
        expect(self.page.get_by_role("group", name="Intercept", exact=True).get_by_role("alert")
               ).to_contain_text("Column 11")
        self.assertIsNone(self.rig.api("GET", "/holds")[2]["intercept"])

    def test_on_a_narrow_screen_it_is_behind_a_button(self):
        self.page.set_viewport_size({"width": 360, "height": 740})
        expect(self.box()).to_be_hidden()
        self.page.get_by_role("button", name="Intercept", exact=True).click()
        expect(self.box()).to_be_focused()
        self.assertEqual(self.serious(), [])
        self.press("Escape")
        expect(self.box()).to_be_hidden()

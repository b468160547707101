"""What clients do with the HTTP interface: add rules, hold messages, search the messages of an exchange."""

import json
import subprocess
import threading
import unittest

from clients import Listener, har, upload, wait_for
from rig import ENVIRONMENT, PROGRAMS, Rig


class InterfaceCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.rig = Rig().__enter__()
        cls.addClassCleanup(cls.rig.__exit__)

    def ask(self, method, path, body=None):
        status, _, content = self.rig.api(method, path, body)
        self.assertEqual(status, 200, content)
        return content

    def listen(self):
        listener = Listener(self.rig)
        self.addCleanup(listener.leave)
        return listener


class RuleTests(InterfaceCase):
    def test_an_added_rule_changes_responses(self):
        self.assertEqual(self.rig.send("/tea"), 200)
        listener = self.listen()
        before = listener.next("rules")["change"]
        rule = {"name": "teapot", "filter": "path=/tea", "response": ["set status=418"]}
        self.ask("POST", "/rules", rule)
        self.assertEqual(self.rig.send("/tea"), 418)
        self.assertGreater(listener.next("rules")["change"], before)
        self.ask("PATCH", "/rules/teapot", {"enabled": False})
        self.assertEqual(self.rig.send("/tea"), 200)

    def test_an_exchange_can_be_mapped_twice_and_is_served_without_its_server(self):
        self.assertEqual(self.rig.send("/json"), 200)
        rows = wait_for(lambda: self.rows("path=/json"))
        for name in ("once", "twice"):
            self.ask("POST", f"/exchanges/{rows[0]['id']}/map", {"name": name})
        self.assertEqual(self.rig.send("/json"), 200)
        served = wait_for(lambda: self.rows("path=/json rule=once"))[0]
        self.assertEqual(served["response_content_type"], "application/json")
        self.assertEqual(served["server_address"], None)

    def rows(self, filter):
        path = "/exchanges?filter=" + filter.replace(" ", "%20")
        return self.ask("GET", path)["exchanges"]


class MessageTests(InterfaceCase):
    def test_messages_are_filtered_page_by_page(self):
        content = json.loads(har(1))
        content["log"]["entries"][0]["_webSocketMessages"] = [
            {"type": "send", "time": 1767225600 + number, "opcode": 1, "data": fruit}
            for number, fruit in enumerate(["apple", "pear"] * 40)
        ]
        id = upload(self.rig, "", json.dumps(content).encode())[2]["first"]
        path = f"/exchanges/{id}/messages?filter=apple&limit=25"
        first = self.ask("GET", path)
        rest = self.ask("GET", f"{path}&after={first['next']}")
        texts = [message["text"] for page in (first, rest) for message in page["messages"]]
        self.assertEqual((texts, rest["next"]), (["apple"] * 40, None))


class InterceptTests(InterfaceCase):
    def intercept(self, **what):
        """Holds what is sent to `/held`, and has it sent; returns the hold, and the client's end."""
        listener = self.listen()
        self.ask("PUT", "/holds/intercept", {"filter": "path=/held", **what})
        listener.next("holds", lambda data: data["intercept"])
        answers = []
        client = threading.Thread(target=lambda: answers.append(self.rig.send("/held")))
        client.start()
        self.addCleanup(client.join)
        [hold] = listener.next("holds", lambda data: data["holds"])["holds"]
        self.assertEqual((hold["rule"], hold["phase"], answers), ("intercept", "request", []))

        def answer():
            client.join(20)
            return answers

        return listener, hold["hold"], answer

    def test_messages_are_held_until_the_listener_has_gone(self):
        listener, hold, answer = self.intercept()
        self.assertEqual(self.rig.send("/other"), 200)
        self.assertIn("holds the requests of: path=/held", self.listed())
        self.ask("POST", f"/holds/{hold}/resume", {})
        self.assertEqual(answer(), [200])
        listener.leave()
        wait_for(lambda: self.ask("GET", "/holds")["intercept"] is None)
        self.assertEqual(self.ask("GET", "/rules")["rules"], [])
        self.assertEqual(self.rig.send("/held"), 200)

    def test_an_intercept_that_was_ended_holds_nothing_more(self):
        _, _, answer = self.intercept(response=True)
        self.ask("PUT", "/holds/intercept", {"filter": None})
        self.assertEqual(answer(), [200])

    def listed(self):
        """What `proxyctl hold list` says beside the list."""
        command = [PROGRAMS / "proxyctl", "--data-dir", self.rig.data, "hold", "list"]
        return subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True).stderr

    def test_a_refused_intercept_does_not_turn_holding_on(self):
        self.ask("POST", "/holds/take", {"on": False})
        status, _, _ = self.rig.api("PUT", "/holds/intercept", {"filter": "duration>1s"})
        self.assertEqual(status, 422)
        self.assertFalse(self.ask("GET", "/holds")["taking"])

    def test_an_intercept_that_was_removed_does_not_come_back(self):
        listener = self.listen()
        self.ask("PUT", "/holds/intercept", {"filter": "path=/held"})
        self.ask("DELETE", "/rules/intercept?temporary=true")
        # As if the page were loaded again.
        listener.leave()
        wait_for(lambda: not self.ask("GET", "/holds")["taking"])
        self.listen()
        wait_for(lambda: self.ask("GET", "/holds")["taking"])
        self.assertEqual(self.ask("GET", "/holds")["intercept"], None)


if __name__ == "__main__":
    unittest.main()

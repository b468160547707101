"""What strangers wrote is shown as text, whatever it is: nothing runs, nothing deceives."""

import base64
import json
import unittest
import urllib.parse

from playwright.sync_api import expect

from conversations import START, message
from pages import PageCase

SCRIPT = "<img src=x onerror=document.title='owned'><script>document.title='owned'</script>"
# Turns the text after it around, is invisible, moves a terminal's cursor.
HOSTILE = f"\u202e\u200b\x1b[31m{SCRIPT}\u2066'\"`${{7*7}}"
# Heads with control characters are refused before they get so far.
VALUE = HOSTILE.replace("\x1b", "")
SHOWN = r"\u{202E}\u{200B}[31m<img src=x"
VISIBLE = r"""() => {
    const hidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/u;
    const found = [];
    const walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) if (hidden.test(walker.currentNode.data)) found.push(walker.currentNode.parentElement.outerHTML.slice(0, 200));
    for (const element of document.querySelectorAll('[title], [aria-label], [alt]')) {
        for (const name of ['title', 'aria-label', 'alt']) {
            if (hidden.test(element.getAttribute(name) ?? '')) found.push(`${name} of ${element.className}`);
        }
    }
    return found;
}"""


def head(start, fields):
    """A head as received."""
    lines = [start, *(f"{name}: {value}" for name, value in fields), "", ""]
    return base64.b64encode("\r\n".join(lines).encode()).decode()


def row(path, **capture):
    body = base64.b64encode(('{"' + "k\u202ey" + '": "' + "v\u2066<b>\u200b" + '"}').encode()).decode()
    text = {"body": body, "body_bytes": 27, "body_kept_bytes": 27}
    return {
        "method": "POST", "url": f"http://hostile.test/{path}", "request": {}, "response": {},
        "_capture": {
            "state": "complete", "note": HOSTILE, "tags": [f"tag\u202e{SCRIPT}"],
            "request": {**text, "head": head(f"POST /{path} HTTP/1.1", [
                ("Host", "hostile.test"), ("X-`'|&", VALUE), ("Cookie", f"a\u202e={VALUE}"),
                ("Content-Type", "application/json")])},
            "response": {**text, "head": head(f"HTTP/1.1 200 {VALUE}", [
                ("Content-Type", "application/json"), ("X-Answer", VALUE), ("Set-Cookie", f"s={VALUE}")])},
            "timeline": {"started_at_ns": 1_767_603_600_000_000_000, "moments_ns": {"sendStart": 5, "sendEnd": 9}},
            "client": {"id": 1, "opened_at_ns": 1_767_603_600_000_000_000, "process": f"pro\u202ecess{SCRIPT}"},
            **capture,
        },
    }


def part(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def call():
    """A failed gRPC call with a token, and messages of which one is no message of gRPC."""
    token = f"{part({'alg': HOSTILE})}.{part({HOSTILE: HOSTILE})}.x"
    trailers = f"grpc-status: 5\r\ngrpc-message: {urllib.parse.quote(HOSTILE)}\r\n\r\n".encode()
    return [
        {
            "id": 9, "started_at": START, "method": "POST", "url": "http://hostile.test/Call",
            "status": 200, "protocol": "grpc", "grpc_status": 5,
            "request": {"headers": [["Authorization", f"Bearer {token}"]]},
            "response": {"headers": []},
            "_capture": {"response": {"trailers": base64.b64encode(trailers).decode()}},
        },
        message(9, 0, "to_client", "text", HOSTILE.encode()),
        message(9, 1, "to_client", "grpc", b"\x0a" + bytes([len(VALUE.encode())]) + VALUE.encode()),
        message(9, 2, "to_client", "text", json.dumps({HOSTILE: HOSTILE}, ensure_ascii=False).encode()),
        message(9, 3, "to_client", "close", b"\x03\xe8" + HOSTILE.encode()),
    ]


class HostileTests(PageCase):
    @classmethod
    def prepare(cls):
        cls.rig.import_rows([
            row(f"first?q=%E2%80%AE&p={SCRIPT.replace(' ', '+')}"), row(f"\u202egnp.exe?{SCRIPT}"),
            row("third", state="failed", error=HOSTILE), *call()])

    def tearDown(self):
        self.assertEqual(self.page.title(), "proxyd")
        self.assertEqual(self.page.locator("img[src=x]").count(), 0)
        self.assertEqual(self.page.locator("script").count(), 1)
        super().tearDown()

    def assert_visible(self, where):
        self.page.wait_for_timeout(150)
        self.assertEqual(self.page.evaluate(VISIBLE), [], where)

    def test_views(self):
        self.assert_visible("List")
        for view in ("Tree", "Waterfall", "Summary", "Rules", "List"):
            self.view(view)
            self.assert_visible(view)

    def test_tabs_of_an_exchange(self):
        self.grid.focus()
        self.press("Home", "Enter")
        region = self.page.get_by_role("region", name="Exchange ")
        for tab in region.get_by_role("tab").all():
            tab.click()
            self.assert_visible(tab.inner_text())
        region.get_by_role("tab", name="Request").click()
        region.get_by_text("Headers", exact=True).click()
        expect(region.get_by_text(SHOWN).first).to_be_visible()
        for viewer in region.get_by_label("Viewer of the request").locator("option").all_inner_texts():
            region.get_by_label("Viewer of the request").select_option(label=viewer)
            self.assert_visible(viewer)
        for number in (2, 3):
            self.press("]")
            self.assert_visible(f"exchange {number}")

    def test_messages_and_tokens(self):
        region = self.open_path("/Call")
        expect(region.get_by_role("heading", name="5 NOT_FOUND: \\u{202E}")).to_be_visible()
        self.assert_visible("head")
        region.get_by_role("tab", name="Messages").click()
        for number in range(4):
            region.get_by_role("button", name=f"Message {number}").click()
            expect(region.get_by_role("group", name="Content of the message")
                   ).to_contain_text("\\u{202E}")
            self.assert_visible(f"message {number}")
        region.get_by_role("tab", name="Security").click()
        expect(region.get_by_role("tree", name="Claims")).to_contain_text("\\u{202E}")
        self.assert_visible("token")

    def test_dialogs_and_notices(self):
        self.grid.focus()
        self.press("Home", "m", "m", "D")
        expect(self.page.get_by_role("dialog").get_by_role("row").nth(3)).to_be_visible()
        self.assert_visible("Compare")
        self.press("Escape")
        for key in ("e", ";", "t"):
            self.press(key)
            expect(self.page.get_by_role("dialog")).to_be_visible()
            self.assert_visible(key)
            self.press("Escape")
        self.press("p")
        expect(self.page.get_by_role("button", name="Undo")).to_be_visible()
        self.assert_visible("notice")

    def test_completions_and_mistakes(self):
        bar = self.page.get_by_role("searchbox", name="Filter")
        self.filter(f'note:"\u202e{SCRIPT}"')
        expect(self.page.get_by_label("Matching exchanges")).to_have_text("0 exchanges")
        self.page.get_by_role("search").get_by_role("button", name="Clear filter").click()
        bar.focus()
        expect(self.page.get_by_role("option").filter(has_text="img src=x")).to_be_visible()
        self.assert_visible("completions")
        self.filter("host=\u202e( and")
        expect(self.page.get_by_role("alert").filter(has_text="column")).to_be_visible()
        self.assert_visible("mistake")


if __name__ == "__main__":
    unittest.main()

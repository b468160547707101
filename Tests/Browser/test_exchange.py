"""An open exchange: request and response at one glance, values that are copied, and what arrives
while one looks."""

import base64
import json
import threading
import unittest
import urllib.parse

from playwright.sync_api import expect

from conversations import START, grpc_call, web_socket
from origins import SlowOrigin, WebSocketOrigin
from pages import PageCase


def part(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


TOKEN = ".".join([part({"alg": "HS256"}), part({"sub": "ann", "scopes": ["cart"]}), "c2ln"])
ANSWER = {"user": {"name": "Ann", "a.b": [1, 2]}, "token": TOKEN, "list": list(range(60)) + ["needle"]}


def sign_in(number):
    """A POST with a query, cookies, and a token in its header and in its answer."""
    sent, answer = '{"grant":"password"}', json.dumps(ANSWER)
    return {
        "id": number, "started_at": START, "method": "POST", "url": "https://auth.test/token?next=%2Fcart",
        "status": 200, "duration_ms": 40,
        "request": {
            "headers": [
                ["Host", "auth.test"], ["Authorization", f"Bearer {TOKEN}"],
                ["Cookie", "sid=8f2c; theme=dark"], ["Content-Type", "application/json"]],
            "body_text": sent, "body_bytes": len(sent), "body_kept_bytes": len(sent)},
        "response": {
            "headers": [
                ["Content-Type", "application/json"], ["X-Long", "long " * 40],
                ["Set-Cookie", "sid=abc; Path=/cart; Domain=auth.test; Max-Age=3600; Secure; HttpOnly; SameSite=Lax"],
                ["Set-Cookie", "theme=; Max-Age=0"]],
            "body_text": answer, "body_bytes": len(answer), "body_kept_bytes": len(answer)},
    }


class ExchangeCase(PageCase):
    def new_context(self, **options):
        return super().new_context(permissions=["clipboard-read", "clipboard-write"], **options)

    def open_last(self):
        # Enter opens what is selected.
        self.grid.focus()
        self.page.keyboard.press("End")
        expect(self.grid.locator("[aria-selected=true]")).to_be_visible()
        return super().open_last()

    def half(self, name):
        return self.page.get_by_role("region", name=name, exact=True)

    def tab(self, name):
        return self.page.get_by_role("tab", name=name, exact=True)

    def expect_copied(self, text):
        self.page.wait_for_function(
            "async (text) => await navigator.clipboard.readText() === text", arg=text)

    def top(self, locator):
        return locator.bounding_box()["y"]


class ReadingTests(ExchangeCase):
    @classmethod
    def prepare(cls):
        cls.rig.record()
        cls.rig.import_rows(
            [sign_in(1)] + grpc_call(2, "Get", 5, "no%20such%20user") + web_socket(3))

    def test_request_and_response_are_beside_each_other_where_there_is_room(self):
        self.open_path("/token")
        request, response = self.half("Request"), self.half("Response")
        self.assertGreaterEqual(self.top(response), self.top(request) + request.bounding_box()["height"])
        self.page.set_viewport_size({"width": 2200, "height": 900})
        self.assertEqual(self.top(response), self.top(request))
        self.assertGreater(response.bounding_box()["x"], request.bounding_box()["x"])

    def test_parameters_and_body_come_before_headers(self):
        self.open_path("/token")
        request = self.half("Request")
        order = [
            request.get_by_role("table", name="Query"),
            request.get_by_role("group", name="Body of the request"),
            request.get_by_text("Headers", exact=True), request.get_by_text("Cookies", exact=True)]
        tops = [self.top(one) for one in order]
        self.assertEqual(tops, sorted(tops))
        expect(request.get_by_role("table", name="Query")).to_contain_text("/cart")
        expect(request.get_by_role("table", name="Headers")).to_be_hidden()

    def test_what_is_unfolded_stays_so_for_the_next_exchange(self):
        self.open_path("/token")
        self.half("Request").get_by_text("Headers", exact=True).click()
        expect(self.half("Request").get_by_role("row", name="Host")).to_contain_text("auth.test")
        self.open_path("/order")
        expect(self.half("Request").get_by_role("table", name="Headers")).to_be_visible()

    def test_facts_are_folded_behind_one_line(self):
        region = self.open_path("/token")
        line = region.get_by_text("Details", exact=True)
        expect(region.get_by_text("40.0 ms")).to_contain_text("HTTP/1")
        expect(region.get_by_role("table", name="Facts")).to_be_hidden()
        line.click()
        expect(region.get_by_role("table", name="Facts").get_by_role("row", name="Duration")).to_contain_text("40.0 ms")

    def test_a_form_is_decoded_and_its_body_folded(self):
        self.open_path("/login")
        expect(self.half("Request").get_by_role("row", name="password")).to_contain_text("hunter2")
        expect(self.half("Request").get_by_role("group", name="Body of the request")).to_be_hidden()

    def test_the_parts_of_a_multipart_body_are_readable(self):
        self.open_path("/upload")
        row = self.half("Request").get_by_role("table", name="Parts").get_by_role("row", name="f")
        expect(row).to_contain_text("hi")
        expect(row).to_contain_text("a.txt")

    def test_keys_choose_tabs_as_in_the_terminal(self):
        self.open_path("/token")
        for key, name in zip("234560", ("Request", "Response", "Cookies", "Timing", "Raw", "Security")):
            self.press(key)
            expect(self.tab(name)).to_have_attribute("aria-selected", "true")
        self.open_path("/live")
        self.press("8")
        expect(self.tab("Messages")).to_have_attribute("aria-selected", "true")

    def test_a_web_socket_opens_at_its_messages(self):
        self.open_path("/live")
        expect(self.tab("Messages")).to_have_attribute("aria-selected", "true")
        self.open_path("/token")
        expect(self.tab("Overview")).to_have_attribute("aria-selected", "true")

    def test_a_call_shows_its_messages_beside_each_other(self):
        self.open_path("/shop.Shop/Get")
        for name in ("Request", "Response"):
            tree = self.half(name).get_by_role("tree", name="JSON").first
            expect(tree.get_by_role("treeitem").first).to_contain_text("ada")
        expect(self.page.get_by_role("heading", name="5 NOT_FOUND: no such user")).to_be_visible()
        expect(self.half("Response").get_by_role("row", name="grpc-message")).to_be_visible()

    def test_open_nodes_of_json_do_not_repeat_what_is_in_them(self):
        self.open_path("/token")
        tree = self.half("Response").get_by_role("tree", name="JSON")
        user = tree.get_by_role("treeitem").filter(has_text="user").first
        expect(user.get_by_text("{ name, a.b }")).to_be_hidden()
        user.press("ArrowLeft")
        expect(user.get_by_text("{ name, a.b }")).to_be_visible()
        expect(tree.get_by_text("[ 61 ]")).to_be_visible()

    def test_cookies_are_tables(self):
        self.open_path("/token")
        self.press("4")
        expect(self.page.get_by_role("table", name="Cookies sent").get_by_role("row", name="theme")).to_contain_text("dark")
        table = self.page.get_by_role("table", name="Cookies set")
        row = table.get_by_role("row", name="sid")
        for text in ("abc", "*.auth.test/cart", "after 1 h", "Secure", "HttpOnly", "SameSite=Lax"):
            expect(row).to_contain_text(text)
        expect(table.get_by_role("row", name="theme")).to_contain_text("deleted")

    def test_tokens_are_readable_where_they_are(self):
        self.open_path("/token")
        request = self.half("Request")
        request.get_by_text("Headers", exact=True).click()
        request.get_by_role("button", name="JSON Web Token").click()
        expect(request.get_by_role("tree", name="Claims").get_by_role("treeitem").first).to_contain_text("ann")
        token = self.half("Response").get_by_role("treeitem").filter(has_text="token").first
        token.press("ArrowRight")
        expect(token.get_by_role("treeitem").filter(has_text="claims").first).to_contain_text("ann")

    def test_heads_are_shown_byte_for_byte(self):
        self.open_path("/html")
        self.press("6")
        head = self.page.get_by_role("group", name="Head of the response")
        expect(head).to_contain_text("HTTP/1.1 200 OK\\r\\n")
        self.press("7")
        expect(head).to_contain_text("48 54 54 50 2f 31 2e 31  20 32 30 30 20 4f 4b 0d")
        self.page.get_by_role("button", name="Text", exact=True).click()
        expect(head).to_contain_text("Content-Type: text/html")

    def test_keys_scroll_what_was_opened(self):
        self.page.set_viewport_size({"width": 1280, "height": 500})
        self.open_path("/token")
        heading = self.half("Request").get_by_text("Query", exact=True)
        expect(heading).to_be_in_viewport()
        self.press("End")
        expect(self.half("Response").get_by_text("Cookies", exact=True)).to_be_in_viewport()
        expect(heading).not_to_be_in_viewport()
        self.press("Home")
        expect(heading).to_be_in_viewport()

    def test_what_a_filter_finds_is_marked_in_a_form(self):
        self.filter("body:hunter2")
        expect(self.grid.get_by_role("row")).to_have_count(2)
        self.open_last()
        row = self.half("Request").get_by_role("row", name="password")
        expect(row.locator("mark")).to_have_text("hunter2")
        expect(self.half("Request").get_by_role("group", name="Body of the request").locator("mark").first).to_be_in_viewport()

    def test_what_a_filter_finds_is_scrolled_to_beside_the_request(self):
        self.page.set_viewport_size({"width": 2200, "height": 500})
        self.filter("body:needle")
        expect(self.grid.get_by_role("row")).to_have_count(2)
        self.open_last()
        expect(self.half("Response").locator("mark")).to_be_in_viewport()
        expect(self.half("Request").get_by_role("heading", name="Request")).to_be_in_viewport()

    def test_a_filter_that_is_set_later_marks_what_it_finds(self):
        self.open_path("/token")
        expect(self.half("Response").locator("mark")).to_have_count(0)
        self.filter("body:needle")
        expect(self.half("Response").locator("mark")).to_be_in_viewport()

    def test_everything_in_it_is_accessible(self):
        for size in ({"width": 360, "height": 740}, {"width": 2200, "height": 700}):
            self.page.set_viewport_size(size)
            self.open_path("/token")
            for tab in self.page.get_by_role("region", name="Exchange ").get_by_role("tab").all():
                tab.click()
                self.page.evaluate(
                    "() => document.querySelectorAll('details').forEach((one) => { one.open = true; })")
                self.assertEqual(self.serious(), [], (size["width"], tab.inner_text()))
            self.press("1", "Escape")


class CopyingTests(ExchangeCase):
    @classmethod
    def prepare(cls):
        cls.rig.import_rows([sign_in(1)])

    def setUp(self):
        super().setUp()
        self.region = self.open_path("/token")

    def test_a_value_is_copied_by_the_button_beside_it(self):
        row = self.half("Request").get_by_role("row", name="next")
        copy = row.get_by_role("button", name="Copy next")
        expect(copy).to_have_css("opacity", "0")
        row.hover()
        expect(copy).to_have_css("opacity", "1")
        copy.click()
        self.expect_copied("/cart")
        self.region.get_by_role("button", name="Copy URL").click()
        self.expect_copied("https://auth.test/token?next=%2Fcart")

    def test_the_button_is_reached_with_the_keyboard(self):
        response = self.half("Response")
        response.get_by_text("Headers", exact=True).click()
        copy = response.get_by_role("button", name="Copy X-Long")
        copy.focus()
        expect(copy).to_have_css("opacity", "1")
        self.press("Enter")
        self.expect_copied(("long " * 40).strip())

    def test_cookies_are_copied(self):
        self.press("4")
        self.page.get_by_role("table", name="Cookies set").get_by_role("row", name="sid").hover()
        self.page.get_by_role("table", name="Cookies set").get_by_role("button", name="Copy sid").click()
        self.expect_copied("abc")

    def test_a_value_of_json_and_its_path_are_copied(self):
        tree = self.half("Response").get_by_role("tree", name="JSON")
        tree.get_by_text("Ann").hover()
        tree.get_by_role("button", name="Copy the path").click()
        self.expect_copied("user.name")
        tree.get_by_role("button", name="Copy the value").click()
        self.expect_copied("Ann")

    def test_a_value_of_json_and_its_path_are_copied_with_keys(self):
        tree = self.half("Response").get_by_role("tree", name="JSON")
        tree.get_by_role("treeitem").first.focus()
        self.press("ArrowDown", "ArrowDown", "ArrowDown", "C")
        self.expect_copied('user["a.b"][0]')
        self.press("ArrowUp", "c")
        self.expect_copied("[1,2]")

    def test_a_whole_body_is_copied(self):
        self.half("Request").get_by_role("button", name="Copy the request body").click()
        self.expect_copied('{"grant":"password"}')


class PlaceTests(ExchangeCase):
    @classmethod
    def prepare(cls):
        cls.rig.record()

    def boxes(self):
        return self.grid.bounding_box(), self.page.get_by_role("region", name="Exchange ").bounding_box()

    def test_it_can_be_right_below_or_alone_and_stays_there(self):
        self.open_path("/order")
        grid, region = self.boxes()
        self.assertGreaterEqual(region["x"], grid["x"] + grid["width"])
        self.press("O")
        grid, region = self.boxes()
        self.assertGreaterEqual(region["y"], grid["y"] + grid["height"])
        self.press("O")
        expect(self.grid).to_be_hidden()
        self.press("Escape")
        expect(self.grid).to_be_focused()
        self.page.reload()
        self.open_path("/order")
        expect(self.grid).to_be_hidden()
        expect(self.page.get_by_role("button", name="Exchange alone")).to_have_attribute("aria-pressed", "true")
        self.page.get_by_role("button", name="Exchange at the right").click()
        expect(self.grid).to_be_visible()

    def test_the_next_exchange_opens_where_the_list_is_hidden(self):
        self.grid.focus()
        self.press("Home", "Enter")
        region = self.page.get_by_role("region", name="Exchange 1", exact=True)
        expect(region.get_by_role("tab", name="Overview")).to_be_visible()
        self.page.get_by_role("button", name="Exchange alone").click()
        self.page.get_by_role("button", name="Next exchange").click()
        expect(self.page.get_by_role("region", name="Exchange 2", exact=True)).to_be_visible()
        self.press("]", "]", "[")
        expect(self.page.get_by_role("region", name="Exchange 3", exact=True)).to_be_visible()

    def test_the_border_moves_in_both_directions(self):
        self.open_path("/order")
        border = self.page.get_by_role("separator", name="Size of the exchange")
        for place, side, key in (("Exchange at the right", "width", "ArrowLeft"), ("Exchange below the list", "height", "ArrowUp")):
            self.page.get_by_role("button", name=place).click()
            before = self.boxes()[1][side]
            border.press(key)
            larger = self.boxes()[1][side]
            self.assertGreater(larger, before)
            box = border.bounding_box()
            self.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
            self.page.mouse.down()
            self.page.mouse.move(box["x"] + 60, box["y"] + 60)
            self.page.mouse.up()
            self.assertLess(self.boxes()[1][side], larger)

    def test_a_small_screen_has_room_for_one_of_the_two(self):
        self.page.set_viewport_size({"width": 360, "height": 740})
        region = self.open_path("/order")
        expect(self.grid).to_be_hidden()
        expect(self.page.get_by_role("group", name="Place of the exchange")).to_be_hidden()
        self.assertEqual(region.bounding_box()["width"], 360)
        region.get_by_role("button", name="Close exchange").click()
        expect(self.grid).to_be_visible()


class ArrivingTests(ExchangeCase):
    @classmethod
    def prepare(cls):
        cls.rig.record()

    def test_a_response_that_still_arrives_is_followed(self):
        with SlowOrigin() as origin:
            body = json.dumps({"order": {"items": [1, 2]}}).encode()
            send = threading.Thread(target=self.rig.send, args=(
                f"{origin.url}/slow", "POST", body, {"Content-Type": "application/json"}))
            send.start()
            region = self.open_path("/slow")
            response = self.half("Response").get_by_role("group", name="Body of the response")
            expect(response).to_contain_text("first half,")
            order = self.half("Request").get_by_role("treeitem").filter(has_text="order").first
            order.press("ArrowLeft")
            search = region.get_by_label("Search the response body")
            search.fill("half")
            expect(response.locator("mark")).to_have_count(1)
            origin.may_finish.set()
            send.join()
            expect(response).to_contain_text("second half")
            expect(response.locator("mark")).to_have_count(2)
            expect(search).to_be_focused()
            expect(search).to_have_value("half")
            expect(order).to_have_attribute("aria-expanded", "false")

    def test_messages_appear_while_their_tab_is_open(self):
        with WebSocketOrigin(self.rig.proxy, "/chat") as chat:
            chat.say("one")
            self.open_path("/chat")
            self.press("8")
            table = self.page.get_by_role("table", name="Messages")
            table.get_by_role("button", name="Message 0").click()
            content = self.page.get_by_role("group", name="Content of the message")
            expect(content).to_contain_text("one")
            self.page.get_by_role("button", name="Copy as").click()
            for number in range(40):
                chat.say(f"more {number}")
            expect(table.get_by_text("more 39")).to_be_visible()
            expect(content).to_contain_text("one")
            expect(self.page.get_by_role("menu", name="Copy as")).to_be_visible()
            self.press("Escape")
            table.get_by_role("button", name="Message 0", exact=True).focus()
            self.press("ArrowDown")
            expect(content).to_contain_text("more 0")

    def test_the_tab_for_messages_comes_with_the_first_one(self):
        with WebSocketOrigin(self.rig.proxy, "/quiet") as quiet:
            self.open_path("/quiet")
            expect(self.tab("Messages")).to_have_count(0)
            quiet.say("not any more")
            self.tab("Messages").click()
            expect(self.page.get_by_role("table", name="Messages")).to_contain_text("not any more")


class MessagesTests(ExchangeCase):
    @classmethod
    def prepare(cls):
        cls.rig.import_rows(web_socket(1))

    def test_texts_have_room_on_a_small_screen(self):
        self.page.set_viewport_size({"width": 360, "height": 740})
        self.open_path("/live")
        expect(self.tab("Messages")).to_be_in_viewport(ratio=1)
        message = self.page.get_by_role("button", name="Message 0", exact=True)
        self.assertGreater(message.bounding_box()["width"], 300)
        message.click()
        expect(self.page.get_by_role("group", name="Content of the message")).to_contain_text("orders")
        self.assertEqual(self.serious(), [])

    def test_messages_are_filtered(self):
        self.open_path("/live")
        table = self.page.get_by_role("table", name="Messages")
        expect(table.get_by_role("row")).to_have_count(6)
        bar = self.page.get_by_label("Filter messages")
        bar.fill("kind=close direction=to_client")
        expect(table.get_by_role("row")).to_have_count(2)
        expect(table).to_contain_text("1000 normal closure: bye")
        bar.fill("nosuchfield=1")
        expect(self.page.get_by_role("alert").filter(has_text="nosuchfield")).to_be_visible()
        bar.fill("")
        expect(table.get_by_role("row")).to_have_count(6)

    def test_answers_to_an_earlier_filter_are_dropped(self):
        waiting = []

        def answer(route):
            query = urllib.parse.parse_qs(urllib.parse.urlsplit(route.request.url).query)
            wanted = query.get("filter", [""])[0]
            message = {"position": 0, "at": START, "direction": "to_server", "kind": "text", "bytes": 1, "text": f"passes {wanted or 'everything'}"}
            run = lambda: route.fulfill(json={"messages": [message], "next": None, "untrusted": True})
            run() if wanted == "kind=text" else waiting.append(run)

        self.context.route("**/messages*", answer)
        self.open_path("/live")
        table = self.page.get_by_role("table", name="Messages")
        expect(table).to_be_visible()
        self.page.get_by_label("Filter messages").fill("kind=text")
        expect(table.get_by_text("passes kind=text")).to_be_visible()
        for run in waiting:
            run()
        self.page.evaluate("() => new Promise((resolve) => setTimeout(resolve))")
        expect(table.get_by_text("passes everything")).to_have_count(0)
        expect(table.get_by_role("row")).to_have_count(2)


if __name__ == "__main__":
    unittest.main()

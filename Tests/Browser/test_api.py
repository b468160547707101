"""Every route of docs/openapi.yaml is called, and every answer is validated against it."""

import fnmatch
import unittest
import urllib.parse

import jsonschema
import yaml
from openapi_spec_validator import validate

from clients import Listener, get, har, upload
from rig import ROOT, Rig

DOCUMENT = yaml.safe_load((ROOT / "docs" / "openapi.yaml").read_text())


def resolve(value):
    """Follows a reference inside the document."""
    while isinstance(value, dict) and "$ref" in value:
        found = DOCUMENT
        for name in value["$ref"].removeprefix("#/").split("/"):
            found = found[name]
        value = found
    return value


def validate_value(value, schema):
    """Checks a value against a schema of the document."""
    whole = {**schema, "components": DOCUMENT["components"]}
    jsonschema.Draft202012Validator(whole).validate(value)


class ContractTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.rig = Rig().__enter__()
        cls.addClassCleanup(cls.rig.__exit__)
        cls.rig.record()

    def ask(self, template, method="GET", status=200, body=None, query="", fields=None, **names):
        """Calls a route and checks its answer against what the document says of it."""
        if body is not None and status == 200:
            operation = DOCUMENT["paths"]["/api/v1" + template][method.lower()]
            validate_value(body, operation["requestBody"]["content"]["application/json"]["schema"])
        path = template
        for name, value in names.items():
            path = path.replace("{" + name + "}", urllib.parse.quote(str(value), safe=""))
        answer = self.rig.api(method, path + query, body, fields)
        return self.check("/api/v1" + template, method, status, answer)

    def check(self, template, method, status, answer):
        """Checks an answer against what the document says of its route; returns its content."""
        found, headers, content = answer
        self.assertEqual(found, status, content)
        responses = DOCUMENT["paths"][template][method.lower()]["responses"]
        response = resolve(responses.get(str(status), responses["default"]))
        media = headers["Content-Type"].split(";")[0]
        pattern = next(
            (p for p in response["content"] if fnmatch.fnmatchcase(media, p)), None)
        self.assertIsNotNone(pattern, f"{method} {template}: {media} is not described")
        if "json" in media:
            validate_value(content, response["content"][pattern].get("schema") or {})
        ContractTests.asked.add((template, method.lower()))
        return content

    asked = set()

    def test_the_document_is_valid_openapi(self):
        validate(DOCUMENT)

    def test_every_route_answers_as_described(self):
        page = self.ask("/exchanges", query="?limit=500")
        self.assertEqual(len(page["exchanges"]), 9)
        self.ask("/exchanges", query="?filter=hots:a", status=400)
        self.ask("/exchanges", query="?sort=duration&order=desc&limit=2")
        ids = {row["path"]: row["id"] for row in page["exchanges"]}
        self.read_one(ids)
        self.read_totals()
        self.change(ids)
        self.rules_and_holds()
        self.change_rules(ids)
        self.intercept()
        self.imports()
        described = {
            (path, method)
            for path, operations in DOCUMENT["paths"].items() for method in operations
        }
        self.assertEqual(described - ContractTests.asked, {("/api/v1/events", "get")})

    def test_events_have_the_data_that_is_described(self):
        listener = Listener(self.rig)
        self.addCleanup(listener.leave)
        events = {}
        for name, data in listener.events():
            events[name] = data
            if events.keys() == {"change", "status", "holds", "rules"}:
                break
        validate_value(events["status"], {"$ref": "#/components/schemas/Status"})
        validate_value(events["holds"], {"$ref": "#/components/schemas/Holds"})
        self.assertEqual(set(events["rules"]), {"change"})

    def read_one(self, ids):
        login = self.ask("/exchanges/{id}", id=ids["/login"])
        self.assertEqual(login["request"]["form"], [["user", "ann"], ["password", "hunter2"]])
        self.ask("/exchanges/{id}", id=999, status=404)
        self.refuses_wrong_answers(login)
        self.ask("/exchanges/{id}/messages", id=999, status=404)
        for part in ("request", "response"):
            self.ask("/exchanges/{id}/head/{part}", id=ids["/login"], part=part)
            self.ask("/exchanges/{id}/body/{part}", id=ids["/login"], part=part)
            for path in ids:
                self.ask("/exchanges/{id}/view/{part}", id=ids[path], part=part)
        self.ask("/exchanges/{id}/body/{part}", id=ids["/json"], part="response", status=206,
                 fields={"Range": "bytes=0-3"})
        self.ask("/exchanges/{id}/image/{part}", id=ids["/json"], part="response", status=415)
        for name in ("messages", "timeline", "changes", "certificates"):
            self.ask("/exchanges/{id}/" + name, id=ids["/order"])
        self.read_copies(ids)
        self.read_messages(ids)
        self.read_timelines(ids)
        self.ask("/diff", query=f"?left={ids['/login']}&right={ids['/order']}")
        found = self.ask("/compare", query="?before=path=/login&after=path=/order&limit=1")
        self.assertEqual((found["counts"]["gone"], found["counts"]["new"]), (1, 1))
        self.assertEqual((len(found["differences"]), found["truncated"]), (1, True))
        self.assertTrue(self.ask("/compare", query="?any_server=true")["equal"])
        self.ask("/compare", query="?before=path=/nothing", status=400)
        self.ask("/compare", query="?after=pth=/order", status=400)
        self.ask("/compare", query="?ignore=path:/a", status=400)

    def read_copies(self, ids):
        def copy(language, query="", status=200):
            return self.ask("/exchanges/{id}/copy/{language}", id=ids["/login"], language=language,
                            query=query, status=status)

        for language in ("curl", "fetch", "python", "swift"):
            self.assertIn(b"hunter2", copy(language))
            self.assertNotIn(b"hunter2", copy(language, "?redact=true"))
        copy("curl", "?redact=1", 400)

    def read_messages(self, ids):
        def messages(query, status=200):
            return self.ask("/exchanges/{id}/messages", id=ids["/order"], query=query, status=status)

        self.assertEqual(messages("?filter=apples&after=-1")["messages"], [])
        messages("?filter=apples&before=1", 400)
        self.assertEqual(messages("?filter=apples%20sise%3E1", 400)["column"], 8)

    def read_timelines(self, ids):
        two = [ids["/login"], ids["/order"]]
        found = self.ask("/timelines", query=f"?ids={','.join(two)},999")["timelines"]
        self.assertEqual(sorted(found), sorted(two))
        self.assertEqual(found[two[0]], self.ask("/exchanges/{id}/timeline", id=two[0]))
        for wrong in ("", "?ids=", "?ids=1;2", "?ids=" + ",".join(["1"] * 201)):
            self.ask("/timelines", query=wrong, status=400)

    def refuses_wrong_answers(self, exchange):
        """The schema of an exchange means something: answers without its parts are refused."""
        schema = {"$ref": "#/components/schemas/Exchange", "components": DOCUMENT["components"]}
        validator = jsonschema.Draft202012Validator(schema)
        self.assertTrue(validator.is_valid(exchange))
        wrong = [
            ("request", {**exchange["request"], "headers": None}),
            ("request", {k: v for k, v in exchange["request"].items() if k != "headers"}),
            ("request", {**exchange["request"], "headers": [["only a name"]]}),
            ("request", {**exchange["request"], "new": 1}),
            ("response", {**exchange["response"], "body_bytes": "5"}),
            ("timeline", {**exchange["timeline"], "total_duration_ms": "12"}),
            ("timeline", {}), ("http2", {}), ("applied_rules", [{"rule": "a"}]),
        ]
        for name, value in wrong:
            self.assertFalse(validator.is_valid({**exchange, name: value}), f"{name}: {value}")

    def read_totals(self):
        self.ask("/count", query="?filter=status%3E%3D400")
        self.ask("/summary")
        server = self.ask("/branches")["branches"][0]
        name = urllib.parse.quote(server["name"], safe="")
        inner = self.ask("/branches", query=f"?server={name}&folder=/")
        self.assertEqual(inner["total"]["count"], server["count"])
        self.ask("/values/{column}", column="method")
        self.ask("/filter/check", query="?filter=host:a%20status%3D200")
        self.ask("/filter/manual")
        status = self.ask("/status")
        self.assertTrue(status["daemon"] and status["recording"])
        self.assertEqual(status["imports_at_most"], 1 << 30)
        self.assertRegex(status["own_command"], r"^proxyctl .*web$")

    def change(self, ids):
        row = self.ask("/exchanges/{id}", "PATCH", id=ids["/login"],
                       body={"note": "look", "tags": ["a", "b"], "pinned": True})
        self.assertEqual((row["note"], row["tags"], row["pinned"]), ("look", ["a", "b"], True))
        row = self.ask("/exchanges/{id}", "PATCH", id=ids["/login"],
                       body={"note": None, "tags": ["b"]})
        self.assertEqual((row["note"], row["tags"], row["pinned"]), (None, ["b"], True))
        self.ask("/exchanges/{id}", "PATCH", id=ids["/login"], body={"notes": ""}, status=400)
        for body in ({"body_texte": "x"}, {"verify": "false"}, {"exact": 1}):
            self.ask("/exchanges/{id}/replay", "POST", id=ids["/login"], body=body, status=400)
        self.ask("/exchanges/{id}/replay", "POST", id=999999999, body={}, status=404)
        replay = self.ask("/exchanges/{id}/replay", "POST", id=ids["/login"])
        self.assertEqual(replay["replay_of"], ids["/login"])
        edited = self.ask("/exchanges/{id}/replay", "POST", id=ids["/login"],
                          body={"method": "PUT", "body_text": "user=eve"})
        self.assertEqual(edited["method"], "PUT")
        self.ask("/send", "POST", body={"url": self.rig.origin_url + "/status/503"})
        self.ask("/send", "POST", body={"url": "nowhere"}, status=400)
        self.ask("/send", "POST", body={"url": self.rig.origin_url, "when": 1}, status=400)
        self.ask("/send", "POST", status=400,
                 body={"url": self.rig.origin_url, "headers": [["A", "b\r\nC: d"]]})
        for kind in ("har", "curl", "jsonl"):
            self.ask("/export", query=f"?format={kind}")
        self.ask("/export", query="?format=png", status=400)
        self.ask("/exchanges", "DELETE", status=400)
        deleted = self.ask("/exchanges", "DELETE", query="?filter=path%3D/xml")
        self.assertEqual(deleted, {"deleted": 1})
        self.assertFalse(self.ask("/recording", "POST", body={"on": False})["recording"])
        self.assertTrue(self.ask("/recording", "POST", body={"on": True})["recording"])

    def rules_and_holds(self):
        text = '[[rule]]\nname = "hold"\nwhen = "path=/held"\nrequest = [{ hold = true }]\n'
        before = self.ask("/rules/file")["text"]
        self.ask("/rules/file", "PUT", body={"text": "nonsense", "before": before}, status=422)
        self.ask("/rules/file", "PUT", body={"text": text, "before": "other"}, status=409)
        rules = self.ask("/rules/file", "PUT", body={"text": text, "before": before})
        self.assertEqual([rule["name"] for rule in rules["rules"]], ["hold"])
        self.ask("/rules")
        self.ask("/rules/test", "POST", body={"filter": "path=/login"})
        self.ask("/rules/test", "POST", body={"text": text})
        self.ask("/rules/test", "POST", body={"text": "[[rule]]\n"}, status=422)
        self.ask("/rules/{name}", "PATCH", name="none", body={"enabled": True}, status=404)
        off = self.ask("/rules/{name}", "PATCH", name="hold", body={"enabled": False})
        self.assertFalse(off["rules"][0]["enabled"])
        self.ask("/holds/take", "POST", body={"on": True})
        self.ask("/holds")
        self.ask("/holds/{hold}", hold="x", status=404)
        self.ask("/holds/{hold}", hold=999999, status=404)
        self.ask("/holds/{hold}/{decision}", "POST", hold="x", decision="drop", body={},
                 status=404)
        self.ask("/holds/resume-all", "POST")
        self.ask("/holds/take", "POST", body={"on": False})

    def names(self, rules):
        return [rule["name"] for rule in rules["rules"]]

    def change_rules(self, ids):
        slow = {"filter": "path=/json", "response": ["delay 5"]}
        tested = self.ask("/rules/test", "POST", body={**slow, "name": "slow", "group": "slow ones"})
        self.assertEqual(tested["matched"], 1)
        self.assertEqual(self.ask("/rules/test", "POST", body={"filter": "path=/json"})["lines"], None)
        rules = self.ask("/rules", "POST", body={**slow, "name": "slow", "group": "slow ones", "first": True})
        self.assertEqual(self.names(rules), ["slow", "hold"])
        self.assertEqual(rules["rules"][0]["does"], "response: { delay_ms = 5 }")
        self.assertEqual(self.ask("/rules/{name}", name="slow")["lines"].strip(), tested["lines"].strip())
        self.refuses_wrong_rules()
        group = {"group": "slow ones", "enabled": False}
        self.assertFalse(self.ask("/rules", "PATCH", body=group)["rules"][0]["enabled"])
        moved = self.ask("/rules/{name}", "PATCH", name="slow", body={"before": None})
        self.assertEqual(self.names(moved), ["hold", "slow"])
        moved = self.ask("/rules/{name}", "PATCH", name="slow", body={"before": "hold"})
        self.assertEqual(self.names(moved), ["slow", "hold"])
        found = self.ask("/rules/{name}", "PATCH", name="slow", body={"filter": "path=/xml"})["rules"]
        self.assertEqual(found[0]["when"], "path=/xml")
        lines = "[[rule]]\nname = 'slower'\nresponse = [{ delay_ms = 9 }]\n"
        renamed = self.ask("/rules/{name}", "PATCH", name="slow", body={"lines": lines, "temporary": True})
        self.assertEqual(renamed["rules"][0]["name"], "slower")
        named = self.ask("/rules", "POST", body={**slow, "temporary": True})["rules"][-1]
        self.assertEqual((named["name"], named["temporary"]), ("delay path=/json", True))
        self.assertEqual(self.ask("/rules/file")["text"].count("[[rule]]"), 2)
        self.ask("/rules/{name}", "DELETE", name="slower", query="?temporary=true")
        self.ask("/rules/{name}", "DELETE", name="delay path=/json", query="?temporary=true")
        self.assertEqual(self.names(self.ask("/rules/{name}", "DELETE", name="hold")), [])
        self.map(ids["/json"])

    def refuses_wrong_rules(self):
        """Every mistake is named, and nothing is changed."""
        before = self.ask("/rules/file")
        for body, status, words in [
            ({"name": "slow", "request": ["hold"]}, 409, 'a rule named "slow"'),
            ({"filter": "path=/a"}, 422, "a rule needs an action"),
            ({"filter": "path=/a", "request": ["throttle 3gg"]}, 422, "request: unknown network 3gg"),
            ({"filter": "duration>1s", "request": ["hold"]}, 422, "when: column 1"),
            ({"filter": "pth=/a", "request": ["hold"]}, 400, "path"),
            ({"when": "path=/a", "request": ["hold"]}, 400, "when"),
            ({"filter": "path=/a", "request": "hold"}, 400, "request"),
        ]:
            problem = self.ask("/rules", "POST", body=body, status=status)
            self.assertIn(words, problem["detail"])
            self.assertEqual("column" in problem, words == "path")
        test = {"filter": "path=/a", "request": ["throttle 3gg"]}
        self.ask("/rules/test", "POST", body=test, status=422)
        self.ask("/rules/test", "POST", body={"request": ["hold"]}, status=400)
        self.ask("/rules/test", "POST", body={"filter": "a", "text": ""}, status=400)
        self.ask("/rules/test", "POST", body={"text": "", "request": ["hold"]}, status=400)
        self.ask("/rules", "PATCH", body={"group": "none", "enabled": True}, status=422)
        self.ask("/rules", "PATCH", body={"group": "slow ones"}, status=400)
        for body, status in [
            ({}, 400), ({"enabled": True, "before": None}, 400), ({"enabled": 1}, 400),
            ({"before": "none"}, 422), ({"filter": "duration>1s"}, 422), ({"lines": "[[rule]]"}, 422),
            ({"filter": "pth=/a"}, 400),
        ]:
            problem = self.ask("/rules/{name}", "PATCH", name="slow", body=body, status=status)
        self.assertEqual(problem["column"], 1)
        self.ask("/rules/{name}", name="none", status=404)
        self.ask("/rules/{name}", "DELETE", name="none", status=404)
        self.ask("/rules/{name}", "DELETE", name="slow", query="?temporary=1", status=400)
        self.assertEqual(self.ask("/rules/file"), before)

    def map(self, exchange):
        mapped = self.ask("/exchanges/{id}/map", "POST", id=exchange, body={"name": "mine", "temporary": True})
        self.assertEqual(self.names(mapped["rules"]), ["mine"])
        self.ask("/exchanges/{id}/map", "POST", id=exchange, body={"file": "/etc/passwd"}, status=400)
        self.ask("/exchanges/{id}/map", "POST", id=999, body={}, status=404)
        self.ask("/rules/{name}", "DELETE", name="mine", query="?temporary=true")

    def intercept(self):
        listener = Listener(self.rig)
        self.addCleanup(listener.leave)
        self.assertEqual(self.ask("/holds")["intercept"], None)
        body = {"filter": "path=/held"}
        both = self.ask("/holds/intercept", "PUT", body={**body, "response": True})
        self.assertEqual(both["intercept"], {"filter": "path=/held", "request": True, "response": True})
        rule = self.ask("/rules")["rules"][0]
        self.assertEqual((rule["name"], rule["when"], rule["temporary"]), ("intercept", "path=/held", True))
        for wrong, status in [
            ({}, 400), ({"filter": 1}, 400), ({"filter": "pth=/a"}, 400), ({**body, "rule": "a"}, 400),
            ({**body, "request": False}, 400), ({"filter": "duration>1s"}, 422),
        ]:
            self.ask("/holds/intercept", "PUT", body=wrong, status=status)
        self.assertEqual(self.ask("/holds")["intercept"], both["intercept"])
        self.assertEqual(self.ask("/holds/intercept", "PUT", body={"filter": None})["intercept"], None)
        self.assertEqual(self.ask("/rules")["rules"], [])
        self.ask("/holds/take", "POST", body={"on": False})

    def imports(self):
        def check(status, query, content, **options):
            answer = upload(self.rig, query, content, **options)
            return self.check("/api/v1/imports", "POST", status, answer)

        check(200, "?name=shop.har&tag=monday", har(3))
        self.assertEqual(self.ask("/count", query="?filter=tag:monday"), {"count": 3})
        file = check(200, "?name=shop.har&mode=look", har(2))["file"]
        check(400, "?mode=peek", har(1))
        check(400, "?tag=" + "x" * 1025, har(1))
        check(415, "", har(1), kind="application/json")
        check(422, "", b"nonsense")
        self.check("/files/{file}/", "GET", 200, get(self.rig, f"/files/{file}/"))
        self.check("/files/{file}/", "GET", 404, get(self.rig, "/files/99/"))
        below = "/files/{file}/api/v1/exchanges"
        page = self.check(below, "GET", 200, get(self.rig, f"/files/{file}/api/v1/exchanges"))
        self.assertEqual([row["path"] for row in page["exchanges"]], ["/item/1", "/item/0"])
        self.check(below, "GET", 400, get(self.rig, f"/files/{file}/api/v1/exchanges?filter=a:b"))
        self.check(below, "GET", 404, get(self.rig, "/files/99/api/v1/exchanges"))


class AccessTests(unittest.TestCase):
    def test_nothing_is_told_without_the_token(self):
        with Rig() as rig:
            status, _, problem = rig.api("GET", "/exchanges", token=False)
            self.assertEqual((status, problem["status"]), (401, 401))

    def test_a_name_at_a_default_port_is_allowed_without_it(self):
        with Rig() as rig:
            rig.web.stop()
            rig.start_web("--allow-host", "dash.corp.test:443")
            for host, origin, expected in [
                ("dash.corp.test", "https://dash.corp.test", 200),
                ("dash.corp.test:443", "https://dash.corp.test", 200),
                ("dash.corp.test", "http://dash.corp.test", 403),
                ("other.corp.test", "https://other.corp.test", 421),
                (None, "https://" + rig.page.split("/")[2], 403),
            ]:
                fields = {"Origin": origin} | ({"Host": host} if host else {})
                status, _, problem = rig.api("GET", "/count", fields=fields)
                self.assertEqual(status, expected, f"{host} {origin}: {problem}")

    def test_bodies_have_a_policy_that_gives_them_no_origin(self):
        with Rig() as rig:
            rig.record()
            _, headers, _ = rig.api("GET", "/exchanges/1/body/response")
            self.assertEqual(headers.get_all("Content-Security-Policy"), [
                "sandbox; default-src 'none'; base-uri 'none'; form-action 'none'; "
                "frame-ancestors 'none'"])

    def test_the_proxy_does_not_forward_to_the_page(self):
        with Rig() as rig:
            self.assertEqual(rig.send(rig.page), 508)

    def test_the_page_works_on_a_dead_daemons_store(self):
        with Rig() as rig:
            rig.record()
            rig.daemon.stop()
            status, _, page = rig.api("GET", "/exchanges")
            self.assertEqual((status, len(page["exchanges"])), (200, 9))
            self.assertFalse(rig.api("GET", "/status")[2]["daemon"])

    def test_sigterm_ends_it_with_success(self):
        with Rig() as rig:
            self.assertEqual(rig.web.stop(), 0)


if __name__ == "__main__":
    unittest.main()

"""Every route of docs/openapi.yaml is called, and every answer is validated against it."""

import fnmatch
import unittest
import urllib.parse

import jsonschema
import yaml
from openapi_spec_validator import validate

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


class ContractTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.rig = Rig().__enter__()
        cls.addClassCleanup(cls.rig.__exit__)
        cls.rig.record()

    def ask(self, template, method="GET", status=200, body=None, query="", fields=None, **names):
        """Calls a route and checks its answer against what the document says of it."""
        path = template
        for name, value in names.items():
            path = path.replace("{" + name + "}", urllib.parse.quote(str(value), safe=""))
        found, headers, content = self.rig.api(method, path + query, body, fields)
        self.assertEqual(found, status, content)
        operation = DOCUMENT["paths"]["/api/v1" + template][method.lower()]
        responses = operation["responses"]
        response = resolve(responses.get(str(status), responses["default"]))
        media = headers["Content-Type"].split(";")[0]
        pattern = next(
            (p for p in response["content"] if fnmatch.fnmatchcase(media, p)), None)
        self.assertIsNotNone(pattern, f"{method} {path}: {media} is not described")
        schema = response["content"][pattern].get("schema") or {}
        if "json" in media:
            whole = {**schema, "components": DOCUMENT["components"]}
            jsonschema.Draft202012Validator(whole).validate(content)
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
        described = {
            (path.removeprefix("/api/v1"), method)
            for path, operations in DOCUMENT["paths"].items() for method in operations
        }
        self.assertEqual(described - ContractTests.asked, {("/events", "get")})

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
        for language in ("curl", "fetch", "python", "swift"):
            self.ask("/exchanges/{id}/copy/{language}", id=ids["/order"], language=language)
        self.ask("/diff", query=f"?left={ids['/login']}&right={ids['/order']}")
        found = self.ask("/compare", query="?before=path=/login&after=path=/order&limit=1")
        self.assertEqual((found["counts"]["gone"], found["counts"]["new"]), (1, 1))
        self.assertEqual((len(found["differences"]), found["truncated"]), (1, True))
        self.assertTrue(self.ask("/compare", query="?any_server=true")["equal"])
        self.ask("/compare", query="?before=path=/nothing", status=400)
        self.ask("/compare", query="?after=pth=/order", status=400)
        self.ask("/compare", query="?ignore=path:/a", status=400)

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

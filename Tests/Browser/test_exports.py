"""What the page exports, checked by public validators."""

import json
import os
import re
import shutil
import subprocess
import unittest

import jsonschema
from openapi_spec_validator import validate
from playwright.sync_api import expect

from pages import PageCase
from rig import Rig

TEXT = {"type": "string"}
PAIRS = {
    "type": "array",
    "items": {
        "type": "object", "required": ["key"],
        "properties": {
            "key": TEXT, "value": {"type": ["string", "null"]}, "disabled": {"type": "boolean"},
            "type": {"enum": ["text", "file"]}, "src": {"type": ["string", "null"]},
            "contentType": TEXT,
        },
    },
}
# The parts of a Postman collection 2.1 that its schema (schema.getpostman.com) requires, closed
# where a misspelt member would be ignored.
COLLECTION = {
    "type": "object", "required": ["info", "item"], "additionalProperties": False,
    "properties": {
        "info": {
            "type": "object", "required": ["name", "schema"],
            "properties": {
                "name": TEXT,
                "schema": {
                    "const":
                    "https://schema.getpostman.com/json/collection/v2.1.0/collection.json",
                },
            },
        },
        "item": {
            "type": "array", "minItems": 1,
            "items": {
                "type": "object", "required": ["name", "request"], "additionalProperties": False,
                "properties": {
                    "name": TEXT, "response": {"type": "array"},
                    "request": {
                        "type": "object", "required": ["method", "url"],
                        "additionalProperties": False,
                        "properties": {
                            "method": TEXT, "header": PAIRS, "description": TEXT,
                            "url": {
                                "type": "object", "required": ["raw", "host"],
                                "additionalProperties": False,
                                "properties": {
                                    "raw": TEXT, "protocol": TEXT, "port": TEXT,
                                    "host": {"type": "array", "items": TEXT},
                                    "path": {"type": "array", "items": TEXT}, "query": PAIRS,
                                },
                            },
                            "body": {
                                "type": "object", "required": ["mode"],
                                "additionalProperties": False,
                                "properties": {
                                    "mode": {"enum": ["raw", "urlencoded", "formdata", "file"]},
                                    "raw": TEXT, "urlencoded": PAIRS, "formdata": PAIRS,
                                    "file": {"type": "object"}, "options": {"type": "object"},
                                },
                            },
                        },
                    },
                },
            },
        },
    },
}


class ExportTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.rig = Rig().__enter__()
        cls.addClassCleanup(cls.rig.__exit__)
        cls.rig.record()

    def export(self, name):
        status, _, content = self.rig.api("GET", f"/export?format={name}")
        self.assertEqual(status, 200, content)
        return content if isinstance(content, bytes) else json.dumps(content).encode()

    def test_a_description_is_valid_openapi(self):
        text = self.export("openapi").decode()
        description = json.loads(text)
        validate(description)
        self.assertEqual(description["openapi"][:3], "3.1")
        self.assertIn("post", description["paths"]["/order"])
        self.assertNotIn("hunter2", text)

    def test_a_collection_is_what_postman_reads(self):
        collection = json.loads(self.export("postman"))
        jsonschema.Draft202012Validator(COLLECTION).validate(collection)
        requests = {item["name"]: item["request"] for item in collection["item"]}
        body = requests["POST /login"]["body"]
        self.assertEqual(body["mode"], "urlencoded")
        self.assertEqual([pair["key"] for pair in body["urlencoded"]], ["user", "password"])
        self.assertEqual(requests["POST /upload"]["body"]["mode"], "formdata")
        self.assertEqual(requests["GET /json"]["url"]["query"][1], {"key": "tags[]", "value": "a"})

    @unittest.skipUnless(shutil.which("node"), "node is not installed")
    def test_a_load_test_is_javascript(self):
        file = os.path.join(self.rig.folder, "load.mjs")
        with open(file, "wb") as script:
            script.write(self.export("k6"))
        checked = subprocess.run(["node", "--check", file], capture_output=True, text=True)
        self.assertEqual(checked.returncode, 0, checked.stderr)


class ExportDialogTests(PageCase):
    def setUp(self):
        super().setUp()
        self.dialog = self.page.get_by_role("dialog", name="Export")

    def open(self):
        self.grid.focus()
        self.press("X")
        expect(self.dialog).to_be_visible()

    def export(self):
        with self.page.expect_download() as download:
            self.dialog.get_by_role("button", name="Export").click()
        expect(self.dialog).to_be_hidden()
        return download.value.path().read_text()

    def redaction(self):
        return self.dialog.get_by_role("switch", name="Remove credentials")

    def test_credentials_are_removed_unless_they_are_wanted(self):
        self.open()
        expect(self.redaction()).to_be_checked()
        self.assertNotIn("hunter2", self.export())
        self.open()
        self.redaction().uncheck()
        self.assertIn("hunter2", self.export())
        self.open()
        expect(self.redaction()).not_to_be_checked()
        self.assertEqual(self.serious(), [])

    def test_the_marked_the_filtered_or_all_are_exported(self):
        self.filter("status=404 or path=/xml")
        expect(self.grid.get_by_role("row")).to_have_count(3)
        self.grid.focus()
        self.press("Home", "m")
        self.open()
        for scope, count in (("Marked", 1), ("What the filter shows", 2), ("All", 9)):
            with self.subTest(scope=scope):
                choice = self.dialog.get_by_role("radio", name=scope)
                expect(choice).to_have_accessible_name(re.compile(f"{count}$"))
                choice.check()
                self.assertEqual(len(json.loads(self.export())["log"]["entries"]), count)
                self.open()

    def test_an_export_is_cancelled_while_it_waits(self):
        waiting = []
        self.page.route("**/api/v1/export?*", lambda route: waiting.append(route))
        self.open()
        self.dialog.get_by_role("button", name="Export").click()
        expect(self.dialog.get_by_role("progressbar")).to_be_visible()
        self.dialog.get_by_role("button", name="Cancel").click()
        expect(self.dialog).to_be_hidden()
        waiting[0].abort()

    def test_a_failed_export_says_why_and_can_be_repeated(self):
        self.page.route("**/api/v1/export?*", lambda route: route.fulfill(
            status=403, content_type="application/problem+json", body='{"detail": "not from here"}'))
        self.open()
        self.dialog.get_by_role("button", name="Export").click()
        expect(self.dialog.get_by_role("status")).to_have_text("not from here")
        self.page.unroute("**/api/v1/export?*")
        self.assertIn("entries", self.export())


if __name__ == "__main__":
    unittest.main()

"""What the page exports, checked by public validators."""

import json
import os
import shutil
import subprocess
import unittest

import jsonschema
from openapi_spec_validator import validate

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


if __name__ == "__main__":
    unittest.main()

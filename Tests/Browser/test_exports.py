"""What the page exports, checked by public validators."""

import json
import os
import shutil
import subprocess
import unittest

from openapi_spec_validator import validate

from rig import Rig


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

    @unittest.skipUnless(shutil.which("node"), "node is not installed")
    def test_a_load_test_is_javascript(self):
        file = os.path.join(self.rig.folder, "load.mjs")
        with open(file, "wb") as script:
            script.write(self.export("k6"))
        checked = subprocess.run(["node", "--check", file], capture_output=True, text=True)
        self.assertEqual(checked.returncode, 0, checked.stderr)


if __name__ == "__main__":
    unittest.main()

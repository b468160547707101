"""Files that clients upload to `proxyctl web`: imported, looked into, refused, broken off."""

import gzip
import os
import socket
import unittest
import unittest.mock
import urllib.parse

from clients import connect, get, har, upload, wait_for
from rig import ENVIRONMENT, Rig


class UploadCase(unittest.TestCase):
    """`proxyctl web` has a folder for temporary files of its own."""

    options = ()

    @classmethod
    def setUpClass(cls):
        cls.rig = Rig().__enter__()
        cls.addClassCleanup(cls.rig.__exit__)
        cls.folder = os.path.join(cls.rig.folder, "temporary")
        os.mkdir(cls.folder)
        cls.rig.web.stop()
        cls.start_web()

    @classmethod
    def start_web(cls):
        with unittest.mock.patch.dict(ENVIRONMENT, TMPDIR=cls.folder):
            cls.rig.start_web(*cls.options)

    def imports(self, content, query="?name=shop.har", **options):
        status, _, answer = upload(self.rig, query, content, **options)
        self.assertEqual(status, 200, answer)
        return answer

    def begin(self, fields, token=True):
        """Sends the head of an upload; returns the connection and the first line of the answer."""
        address = urllib.parse.urlsplit(self.rig.page)
        connection = socket.create_connection((address.hostname, address.port), timeout=20)
        self.addCleanup(connection.close)
        if token:
            fields = {**fields, "Authorization": f"Bearer {self.rig.token}"}
        fields = {**fields, "Host": address.netloc, "Content-Type": "application/octet-stream"}
        lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        connection.sendall(f"POST /api/v1/imports?tag=begun HTTP/1.1\r\n{lines}\r\n".encode())
        with connection.makefile("rb") as stream:
            return connection, stream.readline().decode().strip()

    def files(self):
        return os.listdir(self.folder)

    def count(self, tag):
        return self.rig.api("GET", f"/count?filter=tag:{tag}")[2]["count"]


class ImportTests(UploadCase):
    def setUp(self):
        # A file is removed a moment after the answer.
        wait_for(lambda: not self.files())

    def test_files_are_imported_one_after_another(self):
        connection = connect(self.rig)
        first = int(self.imports(har(1), connection=connection)["first"])
        for number in range(1, 50):
            content = har(1) if number % 2 else gzip.compress(har(1))
            answer = self.imports(content, "?tag=one", connection=connection)
            id = str(first + number)
            self.assertEqual(answer, {"imported": 1, "refused": 0, "first": id, "last": id, "remarks": []})
        self.assertEqual(self.count("one"), 49)

    def test_thousands_of_exchanges_are_imported_with_a_tag(self):
        answer = self.imports(har(5000), "?name=shop.har&tag=monday")
        self.assertEqual(answer["imported"], 5000)
        self.assertEqual(int(answer["last"]) - int(answer["first"]), 4999)
        self.assertEqual(self.count("monday"), 5000)

    def test_what_cannot_be_read_of_a_file_is_reported(self):
        answer = self.imports(har(3)[:-100])
        self.assertEqual((answer["imported"], answer["refused"]), (2, 1))
        self.assertEqual(answer["remarks"], ["entry 3: the file ends too early"])
        status, _, problem = upload(self.rig, "?name=shop.har", b"nonsense")
        self.assertEqual(status, 422)
        self.assertIn("neither HAR nor JSON lines", problem["detail"])

    def test_an_upload_that_is_broken_off_leaves_nothing_behind(self):
        connection, line = self.begin({"Content-Length": 9999, "Expect": "100-continue"})
        self.assertEqual(line, "HTTP/1.1 100 Continue")
        connection.sendall(har(3))
        self.assertEqual(len(self.files()), 1)
        connection.close()
        wait_for(lambda: not self.files())
        self.imports(har(3))

    def test_an_import_ends_when_its_client_leaves(self):
        connection = connect(self.rig)
        fields = {"Authorization": f"Bearer {self.rig.token}", "Content-Type": "application/octet-stream"}
        connection.request("POST", "/api/v1/imports?tag=left", har(5000), fields)
        wait_for(lambda: self.count("left"))
        connection.close()
        wait_for(lambda: not self.files())
        self.imports(har(3))
        self.assertLess(self.count("left"), 5000)

    def test_a_second_upload_meanwhile_is_refused(self):
        connection, line = self.begin({"Content-Length": len(har(3)), "Expect": "100-continue"})
        self.assertEqual(line, "HTTP/1.1 100 Continue")
        status, _, problem = upload(self.rig, "?name=shop.har", har(3))
        self.assertEqual((status, problem["detail"]), (409, "another file is being imported"))
        connection.sendall(har(3))
        with connection.makefile("rb") as stream:
            self.assertIn(b"200", next(line for line in stream if line.startswith(b"HTTP/1.1")))
        self.assertEqual(self.count("begun"), 3)

    def test_no_byte_is_taken_without_the_token(self):
        fields = {"Content-Length": 9999, "Expect": "100-continue"}
        connection, line = self.begin(fields, token=False)
        self.assertEqual(line, "HTTP/1.1 401 Unauthorized")
        self.assertEqual(self.files(), [])


class LimitTests(UploadCase):
    options = ("--import-max", "1MB")

    def test_a_file_that_is_too_large_is_refused_and_the_answer_arrives(self):
        self.assertEqual(self.rig.api("GET", "/status")[2]["imports_at_most"], 1_000_000)
        large = b"x" * (8 << 20)
        for content in (large, iter([large])):
            connection = connect(self.rig)
            status, _, problem = upload(self.rig, "?name=shop.har", content, connection=connection)
            self.assertEqual(status, 413)
            self.assertIn("larger than 1000000 bytes", problem["detail"])
            # Also while the client keeps its connection.
            self.imports(har(3))
            connection.close()
        wait_for(lambda: not self.files())


class LookTests(UploadCase):
    def test_a_file_that_is_looked_into_is_read_only_and_gone_with_the_program(self):
        self.addCleanup(self.start_web)
        answer = self.imports(har(3), "?name=shop.har&mode=look")
        self.assertEqual((answer["name"], answer["exchanges"]), ("shop.har", 3))
        self.assertEqual(self.rig.api("GET", "/count")[2], {"count": 0})
        self.assertEqual(get(self.rig, f"/files/{answer['file']}/")[0], 200)

        def below(method, path, status=200, body=None, **options):
            page = f"{self.rig.page.rstrip('/')}/files/{answer['file']}/"
            with unittest.mock.patch.object(self.rig, "page", page):
                found, _, content = self.rig.api(method, path, body, **options)
            self.assertEqual(found, status, content)
            return content

        self.assertEqual(len(below("GET", "/exchanges")["exchanges"]), 3)
        self.assertEqual(below("GET", "/exchanges/2")["path"], "/item/1")
        status = below("GET", "/status")
        self.assertEqual((status["read_only"], status["imports_at_most"]), (True, None))
        below("PATCH", "/exchanges/1", 403, {"note": "new"})
        below("DELETE", "/exchanges?all=true", 403)
        below("POST", "/exchanges/1/replay", 403, {})
        below("GET", "/rules", 403)
        below("GET", "/exchanges", 401, token=False)
        self.assertNotEqual(self.files(), [])
        self.rig.web.stop()
        wait_for(lambda: not self.files())

    def test_the_oldest_file_makes_room_for_the_ninth(self):
        names = [self.imports(har(1), "?mode=look")["file"] for _ in range(9)]
        for name, status in [(names[0], 404), (names[1], 200), (names[8], 200)]:
            self.assertEqual(get(self.rig, f"/files/{name}/api/v1/exchanges")[0], status)
        wait_for(lambda: len(self.files()) == 8)


if __name__ == "__main__":
    unittest.main()

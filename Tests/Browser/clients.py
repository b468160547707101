"""What programs do with the HTTP interface beside asking: they upload files, and read events."""

import http.client
import json
import time
import urllib.parse

from rig import Rig


def connect(rig):
    return http.client.HTTPConnection(urllib.parse.urlsplit(rig.page).netloc, timeout=120)


def get(rig, path):
    """Asks for something that is not below `/api/v1`."""
    connection = connect(rig)
    connection.request("GET", path, headers={"Authorization": f"Bearer {rig.token}"})
    return answer(connection)


def upload(rig, query, content, kind="application/octet-stream", connection=None):
    """Sends a file to be imported; returns the status, the fields and the content of the answer."""
    connection = connection or connect(rig)
    fields = {"Authorization": f"Bearer {rig.token}", "Content-Type": kind}
    connection.request("POST", "/api/v1/imports" + query, content, fields)
    return answer(connection)


def answer(connection):
    response = connection.getresponse()
    return Rig.parsed(response.status, response.headers, response.read())


def har(count):
    """A HAR file of exchanges with `/item/0`, `/item/1` and so on."""
    request = {"method": "GET", "httpVersion": "HTTP/1.1", "headers": []}
    content = {"size": 5, "mimeType": "text/plain", "text": "hello"}
    response = {
        "status": 200, "statusText": "OK", "httpVersion": "HTTP/1.1", "headers": [], "content": content}
    entries = [
        {"startedDateTime": "2026-01-01T00:00:00.000Z", "time": 5, "response": response,
         "request": {**request, "url": f"http://shop.test/item/{number}"}}
        for number in range(count)
    ]
    return json.dumps({"log": {"version": "1.2", "entries": entries}}).encode()


def wait_for(what):
    """Asks until the answer is true, for at most 20 seconds; returns it."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        if found := what():
            return found
        time.sleep(0.05)
    raise AssertionError("it did not come true")


class Listener:
    """Reads `/events`, as each open page does."""

    def __init__(self, rig):
        self.connection = connect(rig)
        fields = {"Authorization": f"Bearer {rig.token}"}
        self.connection.request("GET", "/api/v1/events", headers=fields)
        self.stream = self.connection.getresponse()

    def events(self):
        """The names and data of events as they come, for at most 20 seconds."""
        name, deadline = None, time.monotonic() + 20
        while time.monotonic() < deadline and (line := self.stream.readline()):
            field, _, value = line.decode().rstrip("\n").partition(": ")
            if field == "event":
                name = value
            if field == "data":
                yield name, json.loads(value)
        raise AssertionError("no further event came")

    def next(self, wanted, is_it=lambda data: True):
        """The data of the next event of a name for which a condition holds."""
        return next(data for name, data in self.events() if name == wanted and is_it(data))

    def leave(self):
        self.stream.close()
        self.connection.close()

"""What the load tests send and what they expect back, all of it a function of a number and a seed.

The client sends by it, the origin checks and answers by it, and the checker compares every row of
the store with it; nothing has to be remembered between them.
"""
import json
import random
from urllib.parse import quote, quote_plus

HOST_COUNT = 40
WORDS = ["alpha", "café", "tags[]", "q", "user.name", "naïve", "ключ", "x y", "a+b", "50%", "emoji😀", "z"]
TYPES = ["text/plain", "application/json", "application/octet-stream", "text/html; charset=utf-8"]


def hosts():
    return [f"127.0.0.{n}" for n in range(1, HOST_COUNT + 1)]


def sessions(first, count, seed):
    """Client connections in order: (scheme, host of a tunnel or None, numbers of the requests)."""
    chance = random.Random(f"{seed}/sessions")
    start, end = first, first + count
    while start < end:
        scheme = chance.choice(["http", "https"])
        host = chance.choice(hosts()) if scheme == "https" else None
        stop = min(end, start + chance.randint(1, 40))
        yield scheme, host, list(range(start, stop))
        start = stop


class Request:
    """One request; `parameters` are the rows (source, name, value) that the store shall hold."""

    def __init__(self, number, seed):
        chance = random.Random(f"{seed}/{number}/request")
        self.number = number
        self.method = chance.choice(["GET", "GET", "POST", "POST", "PUT", "DELETE"])
        self.host = chance.choice(hosts())
        depth = chance.randint(0, 3)
        self.path = f"/load/{number}" + "".join("/" + quote(chance.choice(WORDS)) for _ in range(depth))
        self.parameters = []
        self.query = self._pairs(chance, "query") if chance.random() < 0.8 else None
        self.body, self.content_type = b"", None
        self.is_chunked = False
        if self.method in ("POST", "PUT"):
            kind = chance.choice([self._form, self._json, self._multipart, self._octets])
            self.body, self.content_type = kind(chance)
            self.is_chunked = chance.random() < 0.3

    @property
    def target(self):
        return self.path + ("" if self.query is None else "?" + self.query)

    def _pairs(self, chance, source):
        parts = []
        for index in range(chance.randint(1, 5)):
            name = f"{chance.choice(WORDS)}{index}"
            encode = chance.choice([quote, quote_plus])
            value = None if chance.random() < 0.1 else " ".join(chance.choices(WORDS, k=chance.randint(0, 3)))
            parts.append(encode(name, safe="") + ("" if value is None else "=" + encode(value, safe="")))
            self.parameters.append((source, name, value))
        return "&".join(parts)

    def _form(self, chance):
        return self._pairs(chance, "form").encode(), "application/x-www-form-urlencoded"

    def _json(self, chance):
        items = [chance.randint(-9, 10**12), chance.choice(WORDS), True, None]
        value = {"user": {"name": chance.choice(WORDS), "n": self.number}, "items": items}
        self.parameters += [("json", "user.name", value["user"]["name"]), ("json", "user.n", str(self.number))]
        for index, item in enumerate(items):
            text = None if item is None else item if isinstance(item, str) else json.dumps(item)
            self.parameters.append(("json", f"items[{index}]", text))
        return json.dumps(value, ensure_ascii=chance.random() < 0.5).encode(), "application/json"

    def _multipart(self, chance):
        boundary = f"boundary-{chance.getrandbits(64):x}"
        text = chance.choice(WORDS)
        octets = chance.randbytes(chance.randint(0, 3000)).replace(b"--", b"__")
        self.parameters += [("multipart", "note", text), ("multipart", "file", "a.bin")]
        lines = [
            f'--{boundary}\r\nContent-Disposition: form-data; name="note"\r\n\r\n{text}\r\n'.encode(),
            f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n'.encode(),
            b"Content-Type: application/octet-stream\r\n\r\n" + octets + b"\r\n",
            f"--{boundary}--\r\n".encode(),
        ]
        return b"".join(lines), f"multipart/form-data; boundary={boundary}"

    def _octets(self, chance):
        return chance.randbytes(chance.choice([0, 1, 700, 20_000, 90_000])), "application/octet-stream"


class Response:
    """The answer to a request."""

    def __init__(self, number, seed):
        chance = random.Random(f"{seed}/{number}/response")
        self.status = chance.choices([200, 404, 500, 204], [90, 4, 3, 3])[0]
        self.content_type = chance.choice(TYPES)
        size = chance.choices([chance.randint(0, 2000), chance.randint(2000, 200_000)], [93, 7])[0]
        self.body = b"" if self.status == 204 else chance.randbytes(size)
        self.is_chunked = self.status != 204 and chance.random() < 0.4
        self.piece = max(1, size // 3)

    def octets(self):
        lines = [f"HTTP/1.1 {self.status} Planned"]
        if self.status != 204:
            lines.append(f"Content-Type: {self.content_type}")
            lines.append("Transfer-Encoding: chunked" if self.is_chunked else f"Content-Length: {len(self.body)}")
        head = "\r\n".join(lines).encode() + b"\r\n\r\n"
        return head + (chunked(self.body, self.piece) if self.is_chunked else self.body)


def chunked(body, piece):
    """A body in chunks of `piece` octets."""
    parts = []
    for start in range(0, len(body), piece):
        part = body[start : start + piece]
        parts.append(b"%x\r\n%s\r\n" % (len(part), part))
    return b"".join(parts) + b"0\r\n\r\n"

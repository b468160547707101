#!/usr/bin/env python3
"""Makes docs/images/*.svg: proxyctl in tmux on a store of made-up traffic, its screens as SVG.

    docs/screenshots.py [DIRECTORY]      the folder of proxyd and proxyctl, .build/release by default

Needs tmux. The traffic is an import, so that times, hosts and phases are the same each time.
"""
import base64, json, os, re, subprocess, sys, tempfile, time
from xml.sax.saxutils import escape

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
COLUMNS, ROWS = 110, 30
START_NS = 1_767_603_600_000_000_000  # 5 January 2026, 09:00 UTC
MS = 1_000_000


# Traffic

def head(start, fields):
    lines = [start] + [f"{name}: {value}" for name, value in fields] + ["", ""]
    return base64.b64encode("\r\n".join(lines).encode()).decode()


def moments(send, wait, receive, fresh):
    """Moments in nanoseconds from the start; `fresh` connections are looked up, made, and secured."""
    at, found = 0.3, {"requestFirstByte": 0, "requestHead": 0.1, "requestLastByte": 0.2}
    if fresh:
        for name, took in zip(("dns", "connect", "tls"), fresh):
            found[f"{name}Start"] = at
            at += took
            found[f"{name}End"] = at
    found["sendStart"], found["sendEnd"] = at, at + send
    found["responseFirstByte"] = at + send + wait
    found["responseHead"] = at + send + wait + 0.1
    found["responseLastByte"] = found["delivered"] = at + send + wait + receive
    return {name: int(value * MS) for name, value in found.items()}


def exchange(at_ms, process, method, url, status, answer, body, timing, fresh=None, fields=(),
             sent="", note=None, tags=(), pinned=False):
    scheme, _, rest = url.partition("://")
    host, _, path = rest.partition("/")
    body = body.encode() if isinstance(body, str) else body
    request = [("Host", host), ("User-Agent", f"{process}/2.4"), ("Accept", "*/*")] + list(fields)
    if sent:
        request.append(("Content-Length", len(sent)))
    reasons = {200: "OK", 201: "Created", 204: "No Content", 302: "Found", 304: "Not Modified",
               401: "Unauthorized", 404: "Not Found", 422: "Unprocessable Content",
               503: "Service Unavailable"}
    response = [("Content-Type", answer), ("Content-Length", len(body)), ("Server", "shop/7")]
    encoded = base64.b64encode(sent.encode()).decode()
    return {
        "method": method, "url": url, "request": {"body_bytes": len(sent)}, "response": {},
        "_capture": {
            "state": "complete", "note": note, "tags": list(tags), "pinned": pinned,
            "request": {"head": head(f"{method} /{path} HTTP/1.1", request), "body": encoded,
                        "body_bytes": len(sent), "body_kept_bytes": len(sent)},
            "response": {"head": head(f"HTTP/1.1 {status} {reasons[status]}", response),
                         "body": base64.b64encode(body).decode(), "body_bytes": len(body),
                         "body_kept_bytes": len(body)},
            "timeline": {"started_at_ns": START_NS + int(at_ms * MS),
                         "connection_reused": fresh is None,
                         "moments_ns": moments(*timing, fresh)},
            "client": {"id": 1, "opened_at_ns": START_NS, "pid": 4242, "process": process,
                       "peer_address": "127.0.0.1:51044", "local_address": "127.0.0.1:8080"},
            "server": {"id": 2, "opened_at_ns": START_NS, "peer_address": "192.0.2.10:443",
                       "local_address": "192.0.2.44:40112",
                       "tls": {"version": "TLSv1.3", "cipher": "TLS_AES_256_GCM_SHA384",
                               "alpn": "http/1.1", "server_name": host}},
        },
    }


def order(number, state, total):
    return json.dumps({"order": {
        "id": number, "state": state, "total": total, "currency": "EUR",
        "customer": {"name": "Zoë Brontë", "email": "zoe@shop.test"},
        "items": [{"sku": "TEA-042", "title": "Sencha, 100 g", "count": 2, "price": 9.5},
                  {"sku": "CUP-007", "title": "Cup, celadon", "count": 1, "price": 24}],
        "shipping": {"method": "rail", "eta": "2026-01-09", "tracked": True}}})


def traffic():
    api, cdn = "https://api.shop.test", "https://cdn.shop.test"
    form = [("Content-Type", "application/x-www-form-urlencoded"), ("Cookie", "sid=8f2c; theme=dark")]
    text, page = "application/json", "text/html; charset=utf-8"
    first = (3.1, 8.4, 14.2)
    script = "export const cart = [];\n" * 900
    yield exchange(0, "firefox", "GET", "https://www.shop.test/", 200, page,
                   "<!doctype html><title>Shop</title><h1>Tea</h1>" * 210, (0.2, 38, 9), first)
    yield exchange(62, "firefox", "GET", f"{cdn}/app.css?v=19", 200, "text/css",
                   "a { color: teal }\n" * 400, (0.1, 12, 4), (1.2, 6, 11))
    yield exchange(64, "firefox", "GET", f"{cdn}/app.js?v=19", 200, "text/javascript", script,
                   (0.1, 14, 22), (1.2, 6.3, 11.8))
    yield exchange(70, "firefox", "GET", f"{cdn}/img/tea.webp", 304, "image/webp", b"", (0.1, 7, 0))
    yield exchange(112, "firefox", "GET", f"{api}/v2/session", 401, text,
                   '{"error":"no session"}', (0.1, 21, 0.4), (2.8, 7.7, 13))
    yield exchange(141, "firefox", "POST", "https://auth.shop.test/login?next=%2Fcart&lang=de", 302,
                   "text/plain", "", (0.3, 92, 0.2), (2.2, 9, 15.5), form,
                   "user=zo%C3%AB%40shop.test&remember=on&scope=cart+orders")
    yield exchange(268, "firefox", "GET", f"{api}/v2/session", 200, text,
                   '{"user":"zoë","scopes":["cart","orders"]}', (0.1, 18, 0.4))
    yield exchange(271, "firefox", "GET", f"{api}/v2/products?q=caf%C3%A9+noir&tag=a&tag=b&limit=24",
                   200, text, json.dumps({"products": [{"sku": f"TEA-{n:03}"} for n in range(120)]}),
                   (0.1, 64, 11))
    yield exchange(276, "firefox", "GET", f"{cdn}/img/tea-1.avif", 200, "image/avif", b"\0" * 48_200,
                   (0.1, 11, 31))
    yield exchange(277, "firefox", "GET", f"{cdn}/img/tea-2.avif", 200, "image/avif", b"\0" * 51_900,
                   (0.1, 12, 44))
    yield exchange(279, "firefox", "GET", f"{cdn}/img/missing.avif", 404, page, "not here",
                   (0.1, 9, 0.2))
    yield exchange(402, "shopctl", "POST",
                   f"{api}/v2/orders?dry_run=0&coupon=T%C3%A9+%26+Tea&tag=a&tag=b", 201, text,
                   order(1042, "paid", 43), (0.4, 131, 2), (2.9, 8.1, 13.9),
                   form, "item%5B0%5D%5Bsku%5D=TEA-042&item%5B0%5D%5Bcount%5D=2"
                   "&item%5B1%5D%5Bsku%5D=CUP-007&note=ring+twice%2C+please&gift=", pinned=True)
    yield exchange(560, "shopctl", "GET", f"{api}/v2/orders/1042", 200, text,
                   order(1042, "paid", 43), (0.1, 33, 1))
    yield exchange(566, "shopctl", "PUT", f"{api}/v2/orders/1042/address", 422, text,
                   '{"error":"postcode","expected":"#####"}', (0.3, 41, 0.5), None,
                   [("Content-Type", text)], '{"city":"Köln","postcode":"5O667"}')
    yield exchange(640, "shopctl", "GET", f"{api}/v2/orders/1042/invoice", 503, text,
                   '{"error":"upstream busy"}', (0.1, 1_204, 0.4), None, note="after the deploy",
                   tags=["flaky"])
    yield exchange(1_900, "shopctl", "GET", f"{api}/v2/orders/1042/invoice", 200,
                   "application/pdf", b"%PDF-1.7" + b"\0" * 182_000, (0.1, 288, 96), None)
    yield exchange(2_310, "shopctl", "GET", f"{api}/v2/orders/1042", 200, text,
                   order(1042, "shipped", 43).replace("2026-01-09", "2026-01-08"), (0.1, 29, 1))
    yield exchange(2_400, "firefox", "POST", "https://metrics.shop.test/v1/events", 204,
                   "text/plain", b"", (0.2, 17, 0.1), (2.5, 10, 16), [("Content-Type", text)],
                   '{"event":"order","id":1042}')


RULES = """\
[[rule]]
name = "staging"
when = 'host=api.shop.test path:/v2/'
request = [{ send_to = "https://staging.shop.test", host = "keep" }]

[[rule]]
name = "maintenance"
when = 'host=www.shop.test'
request = [{ respond = 503, type = "text/plain", body = "back soon" }]
response = [{ set = "header:Retry-After", value = "120" }]

[[rule]]
name = "pay"
when = 'method=POST path:/v2/orders'
request = [{ hold = true, timeout_s = 60 }]

[[rule]]
name = "slow images"
enabled = false
when = 'host=cdn.shop.test path:/img/'
response = [{ throttle = "slow-3g" }]
"""


# A terminal

class Terminal:
    def __init__(self, folder):
        self.folder = folder
        self.tmux = ["tmux", "-S", f"{folder}/tmux", "-f", "/dev/null"]

    def run(self, *arguments):
        return subprocess.run(
            self.tmux + list(arguments), check=True, capture_output=True, text=True).stdout

    def start(self, command, environment):
        options = [item for pair in environment.items() for item in ("-e", "=".join(pair))]
        self.run("new-session", "-d", "-x", str(COLUMNS), "-y", str(ROWS), *options, command)
        self.run("set", "-g", "status", "off")

    def keys(self, *keys):
        for key in keys:
            self.run("send-keys", key)

    def wait(self, text):
        deadline = time.monotonic() + 30
        while text not in (screen := self.run("capture-pane", "-p")):
            if time.monotonic() > deadline:
                sys.exit(f"“{text}” did not come:\n{screen}")
            time.sleep(0.05)

    def picture(self, name):
        """The screen, once it has stayed the same for a while."""
        former = None
        while (screen := self.run("capture-pane", "-e", "-N", "-p")) != former:
            former = screen
            time.sleep(0.4)
        with open(f"{ROOT}/docs/images/{name}.svg", "w") as file:
            file.write(svg(screen.replace(self.folder, "/etc/proxyd").split("\n")[:ROWS]))
        print(f"docs/images/{name}.svg")


# Pictures

BASIC = ("1c2128 e5534b 57ab5a c69026 539bf5 b083f0 39c5cf adbac7 "
         "768390 ff938a 6bc46d daaa3f 6cb6ff dcbdfb 56d4dd ffffff").split()
INK, PAPER = "#cdd9e5", "#1c2128"
WIDTH, HEIGHT, SIZE, MARGIN = 8.4, 18, 14, 10


def colour(number):
    if number < 16:
        return "#" + BASIC[number]
    if number >= 232:
        return "#" + f"{8 + 10 * (number - 232):02x}" * 3
    steps = (0, 95, 135, 175, 215, 255)
    number -= 16
    return "#%02x%02x%02x" % (steps[number // 36], steps[number // 6 % 6], steps[number % 6])


class Look:
    def __init__(self):
        self.ink, self.paper, self.flags = None, None, frozenset()

    def apply(self, codes):
        codes = iter(codes or [0])
        for code in codes:
            if code == 0:
                self.__init__()
            elif code in (1, 2, 3, 4, 7):
                self.flags |= {code}
            elif code == 22:
                self.flags -= {1, 2}
            elif code in (23, 24, 27):
                self.flags -= {code - 20}
            elif code in (38, 48):
                kind = next(codes)
                value = (colour(next(codes)) if kind == 5 else
                         "#%02x%02x%02x" % (next(codes), next(codes), next(codes)))
                self.ink, self.paper = ((value, self.paper) if code == 38 else (self.ink, value))
            elif code in (39, 49):
                self.ink, self.paper = ((None, self.paper) if code == 39 else (self.ink, None))
            elif 30 <= code <= 37 or 90 <= code <= 97:
                self.ink = colour(code - 30 if code < 40 else code - 82)
            elif 40 <= code <= 47 or 100 <= code <= 107:
                self.paper = colour(code - 40 if code < 50 else code - 92)

    @property
    def seen(self):
        ink, paper = self.ink or INK, self.paper or PAPER
        return (paper, ink, self.flags) if 7 in self.flags else (ink, paper, self.flags)


def runs(line, look):
    """Pieces of text with the columns they begin at; every character here takes one."""
    column = 0
    for part in re.split(r"(\x1b\[[0-9;]*m)", line):
        if part.startswith("\x1b"):
            look.apply([int(code or 0) for code in part[2:-1].split(";")])
        elif part:
            yield column, part, look.seen
            column += len(part)


def svg(lines):
    look, boxes, texts = Look(), [], []
    for row, line in enumerate(lines):
        for column, text, (ink, paper, flags) in runs(line, look):
            x, y = MARGIN + column * WIDTH, MARGIN + row * HEIGHT
            if paper != PAPER:
                boxes.append(f'<rect x="{x:.1f}" y="{y}" width="{len(text) * WIDTH:.1f}" '
                             f'height="{HEIGHT}" fill="{paper}"/>')
            for word in re.finditer(r"\S+(?: \S+)*", text):
                style = f' fill="{ink}"' if ink != INK else ""
                style += ' font-weight="bold"' if 1 in flags else ""
                style += ' fill-opacity="0.7"' if 2 in flags else ""
                style += ' text-decoration="underline"' if 4 in flags else ""
                texts.append(
                    f'<text x="{x + word.start() * WIDTH:.1f}" y="{y + 13.5}" '
                    f'textLength="{len(word[0]) * WIDTH:.1f}"{style}>{escape(word[0])}</text>')
    width, height = 2 * MARGIN + COLUMNS * WIDTH, 2 * MARGIN + ROWS * HEIGHT
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" '
        f'font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="{SIZE}" '
        f'fill="{INK}">',
        f'<rect width="100%" height="100%" rx="6" fill="{PAPER}"/>', *boxes, *texts, "</svg>", ""])


# The session

def session(terminal):
    terminal.wait("recording")
    terminal.wait("/v1/events")
    # Marking goes on to the next row.
    terminal.keys("k", "m", "k", "k", "k", "k", "k", "m", "k", "k")
    terminal.picture("list")
    terminal.keys("Enter")
    terminal.wait("Overview")
    terminal.picture("detail")
    terminal.keys("3")
    terminal.wait("[json]")
    terminal.picture("json")
    terminal.keys("Escape")
    terminal.wait("Enter open")
    terminal.keys("D")
    terminal.wait("Overview")
    terminal.keys("n")
    terminal.picture("diff")
    terminal.keys("Escape")
    terminal.wait("Enter open")
    terminal.keys("e")
    terminal.wait("Edit a copy of")
    terminal.keys("j", "j", "j")
    terminal.picture("compose")
    terminal.keys("Escape")
    terminal.wait("Enter open")
    terminal.keys("W", "g")
    terminal.picture("waterfall")
    terminal.keys("W", "S")
    terminal.wait("slowest")
    terminal.picture("summary")
    terminal.keys("Escape")
    terminal.wait("Enter open")
    terminal.keys("T")
    terminal.picture("tree")
    terminal.keys("Escape")
    terminal.wait("Enter open")
    terminal.keys("/", "C-u")
    terminal.run("send-keys", "-l", "status>=400 host:")
    # The hosts that occur are read first.
    time.sleep(1)
    terminal.keys("Tab")
    terminal.wait("cdn.shop.test")
    terminal.picture("filter")
    terminal.keys("Escape", "C-u", "Enter")
    terminal.wait("Enter open")


def rules(terminal, proxy):
    """The rules, one of which has acted."""
    for path in ("", "cart", "help"):
        subprocess.run(["curl", "-s", "-o", "/dev/null", "-x", proxy, f"http://www.shop.test/{path}"],
                       check=True)
    terminal.keys("L")
    terminal.wait("slow images")
    terminal.keys("j")
    terminal.picture("rules")


def main():
    programs = sys.argv[1] if len(sys.argv) > 1 else f"{ROOT}/.build/release"
    with tempfile.TemporaryDirectory(prefix="proxyd-screenshots-") as folder:
        environment = {"TZ": "UTC", "XDG_STATE_HOME": f"{folder}/state", "HOME": folder}
        for name, text in (("rules.toml", RULES), ("proxyd.toml", "")):
            with open(f"{folder}/{name}", "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
                file.write(text)
        daemon = subprocess.Popen(
            [f"{programs}/proxyd", "--config", f"{folder}/proxyd.toml", "--listen", "127.0.0.1:0", "--data-dir", f"{folder}/data"],
            stdout=subprocess.PIPE, text=True)
        terminal = Terminal(folder)
        try:
            proxy = daemon.stdout.readline().split()[-1]
            with open(f"{folder}/traffic.jsonl", "w") as file:
                file.writelines(json.dumps(line) + "\n" for line in traffic())
            command = [f"{programs}/proxyctl", "--data-dir", f"{folder}/data"]
            subprocess.run(command + ["import", f"{folder}/traffic.jsonl"], check=True)
            terminal.start(" ".join(command + ["--theme", "dark"]), environment)
            session(terminal)
            rules(terminal, f"http://{proxy}")
        finally:
            subprocess.run(terminal.tmux + ["kill-server"], capture_output=True)
            daemon.terminate()
            daemon.wait()


if __name__ == "__main__":
    main()

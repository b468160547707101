#!/usr/bin/env python3
"""Measures the page of `proxyctl web` in Chromium over a large store, its interface, and what it costs a
recording daemon.

    web.py PROXYD PROXYCTL DATA_DIRECTORY

Prints each figure beside its goal and ends with 1 if one is missed. Needs playwright, Chromium and
nginx; valgrind for the instructions of a page of rows, which are left out without it.
"""
import http.client
import json
import os
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import threading
import time
import urllib.parse

from playwright.sync_api import sync_playwright

from proxied import NEEDED, Proxied
from web_in_page import FILTERED, FIRST_ROWS, SCROLL

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
NAVIGATIONS = 9
FILTER_ROUNDS = 5
FRAMES = 240
# Requests to the daemon: how many connections send one at the same time, and how many a second in all.
CONNECTIONS, RATE = 16, 2_000
PAGE_OF_ROWS = "/api/v1/exchanges?limit=50"
# The filters whose first rows `browse.py` wants within 100 ms, and some that it gives longer.
FILTERS = [
    ("status>=500 host:api", 150), ("host=api0.example.com", 150), ("method=DELETE status=404", 150),
    ("url:v2/invoices/7", None), ("body:violin", None),
]
missed = []


def report(name, value, goal=None, unit="ms", least=False):
    """Prints a figure beside its goal, which is the most it may be, or the least."""
    verdict = ""
    if goal is not None:
        is_missed = value < goal if least else value > goal
        verdict = f"  goal {goal:g}{', missed' if is_missed else ''}"
        if is_missed:
            missed.append(name)
    print(f"{name:52} {value:10.1f} {unit}{verdict}", flush=True)


class Web:
    """`proxyctl web` on a data directory."""

    def __init__(self, proxyctl, data, *before):
        environment = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
        self.process = subprocess.Popen(
            [*before, proxyctl, "web", "--data-dir", data, "--no-open"], env=environment, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True)
        line = self.process.stdout.readline()
        self.address = line.removeprefix("proxyctl: ").strip()
        if not self.address.startswith("http"):
            sys.exit(f"proxyctl web did not start: {line}")
        self.token = self.address.partition("#token=")[2]
        self.place = urllib.parse.urlsplit(self.address).netloc

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=60)

    def fields(self):
        return {"Authorization": f"Bearer {self.token}", "Host": self.place}

    def get(self, connection, path):
        connection.request("GET", path, headers=self.fields())
        response = connection.getresponse()
        body = response.read()
        if response.status != 200:
            sys.exit(f"{path}: {response.status} {body[:200]}")
        return body

    def connection(self):
        return http.client.HTTPConnection(self.place, timeout=120)

    def resident_mebibytes(self):
        with open(f"/proc/{self.process.pid}/status") as file:
            found = re.findall(r"(VmRSS|VmHWM|RssAnon|RssFile):\s+(\d+) kB", file.read())
        return {name: int(kibibytes) / 1024 for name, kibibytes in found}

    def processor_s(self):
        total_ns = 0
        for task in os.listdir(f"/proc/{self.process.pid}/task"):
            with open(f"/proc/{self.process.pid}/task/{task}/schedstat") as file:
                total_ns += int(file.read().split()[0])
        return total_ns / 1e9


class Page:
    """The page in a browser of its own, with what watches it."""

    def __init__(self, browser, web):
        self.web = web
        self.context = browser.new_context(viewport={"width": 1280, "height": 800})
        self.page = self.context.new_page()
        self.page.add_init_script(FIRST_ROWS)

    def __enter__(self):
        self.page.goto(self.web.address)
        self.first = self.page.evaluate("() => window.measured.first")
        return self

    def __exit__(self, *_):
        self.context.close()

    def heap_mebibytes(self):
        session = self.context.new_cdp_session(self.page)
        session.send("Performance.enable")
        session.send("HeapProfiler.enable")
        before = self.metric(session, "JSHeapUsedSize")
        session.send("HeapProfiler.collectGarbage")
        after = self.metric(session, "JSHeapUsedSize")
        nodes = self.metric(session, "Nodes")
        session.detach()
        return before / 2**20, after / 2**20, nodes

    @staticmethod
    def metric(session, name):
        metrics = session.send("Performance.getMetrics")["metrics"]
        return next(metric["value"] for metric in metrics if metric["name"] == name)


# The page

def measure_page(web):
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        navigate(browser, web)
        with Page(browser, web) as page:
            scroll(page)
            filters(page)
            scroll_through(page)
            before, after, nodes = page.heap_mebibytes()
            report("heap of the page after all that, with garbage", before, 30, "MiB")
            report("  without garbage", after, None, "MiB")
            report("  nodes", nodes, None, "")
        browser.close()


def navigate(browser, web):
    # The first one starts the browser's own parts.
    with Page(browser, web):
        pass
    firsts, served, waits, rows = [], [], [], []
    for _ in range(NAVIGATIONS):
        before = web.processor_s()
        with Page(browser, web) as page:
            firsts.append(page.first)
            served.append((web.processor_s() - before) * 1e3)
            entries = page.page.evaluate("() => window.measured.resources()")
            entries = [entry for entry in entries if entry["start"] < page.first]
            waits.append(union([(entry["request"], min(entry["end"], page.first)) for entry in entries]))
            rows.append(next(e["end"] - e["request"] for e in entries if "/exchanges?" in e["name"]))
    report("first rows on the screen, median", statistics.median(firsts), 500)
    report("  the slowest of them", max(firsts))
    report("  processor time of proxyctl web until then, median", statistics.median(served), 150)
    report("  time with requests under way, median", statistics.median(waits))
    report("  of that the first page of rows, median", statistics.median(rows))


def union(spans):
    """How long at least one of the spans lasts."""
    total, until = 0, float("-inf")
    for start, end in sorted(spans):
        total += max(0, end - max(start, until))
        until = max(until, end)
    return total


def scroll(page):
    for step in (40, 200, 20_000):
        page.page.keyboard.press("End")
        page.page.wait_for_timeout(1_000)
        frames = page.page.evaluate(SCROLL, [-step, FRAMES])
        frames.sort()
        report(f"scrolling {step} px a frame, median", statistics.median(frames), 20)
        report("  95 %", frames[int(len(frames) * 0.95)])


def filters(page):
    bar = page.page.get_by_role("searchbox", name="Filter")
    connection = page.web.connection()
    for text, goal in FILTERS:
        took, asked = [], []
        for _ in range(FILTER_ROUNDS):
            took.append(apply(page, bar, text))
            apply(page, bar, "")
            began = time.monotonic()
            page.web.get(connection, f"/api/v1/exchanges?limit=200&filter={urllib.parse.quote(text)}")
            asked.append((time.monotonic() - began) * 1e3)
        report(f"first rows of {text}, median", statistics.median(took), goal)
        report("  the answer alone", statistics.median(asked))


def apply(page, bar, text):
    """Types a filter; returns the milliseconds from Enter to its rows."""
    bar.fill(text)
    page.page.wait_for_timeout(300)
    page.page.evaluate("() => window.measured.watchFilter()")
    bar.press("Enter")
    return page.page.evaluate(FILTERED)


def scroll_through(page):
    """Goes through the whole list in a hundred jumps, and on from each."""
    page.page.get_by_role("grid", name="Exchanges").focus()
    for place in range(100, -1, -1):
        page.page.evaluate(
            "(share) => { const s = document.querySelector('.scroller');"
            " s.scrollTop = share * (s.scrollHeight - s.clientHeight); }", place / 100)
        page.page.wait_for_timeout(40)
        for _ in range(3):
            page.page.keyboard.press("PageDown")


# The interface

def measure_interface(web):
    """Pages of rows a second with the server on one core, and the processor time of one."""
    core = max(os.sched_getaffinity(0))
    for task in os.listdir(f"/proc/{web.process.pid}/task"):
        os.sched_setaffinity(int(task), {core})
    ask_for_pages(web, 200, 2)
    rates, costs = [], []
    for _ in range(5):
        before, began = web.processor_s(), time.monotonic()
        count = ask_for_pages(web, 500, 4)
        rates.append(count / (time.monotonic() - began))
        costs.append((web.processor_s() - before) * 1e3 / count)
    report("pages of 50 rows a second on one core, best of 5", max(rates), 400, "", least=True)
    report("  processor time of one, median", statistics.median(costs))


def ask_for_pages(web, count, connection_count):
    def ask():
        connection = web.connection()
        for _ in range(count // connection_count):
            web.get(connection, PAGE_OF_ROWS)

    threads = [threading.Thread(target=ask) for _ in range(connection_count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return count // connection_count * connection_count


def count_instructions(proxyctl, data):
    """The difference between two runs of the stripped program under valgrind."""
    if not shutil.which("valgrind"):
        print("instructions are not counted: there is no valgrind")
        return
    few, many = (instructions(proxyctl, data, count) for count in (20, 120))
    report("instructions of a page of 50 rows", (many - few) / 100 / 1e6, None, "million")


def instructions(proxyctl, data, count):
    folder = os.path.dirname(os.path.abspath(data))
    program, output = os.path.join(folder, "proxyctl-stripped"), os.path.join(folder, "callgrind.out")
    subprocess.run(["strip", "--strip-debug", "-o", program, proxyctl], check=True)
    with Web(program, data, "valgrind", "--tool=callgrind", f"--callgrind-out-file={output}") as web:
        ask_for_pages(web, count, 1)
    with open(output) as file:
        found = re.search(r"^(?:summary|totals): (\d+)", file.read(), re.MULTILINE)
    os.remove(output)
    os.remove(program)
    return int(found[1])


# A recording daemon

def measure_recording(proxyd, proxyctl, rounds=6, seconds=6):
    """What a request costs the daemon in rounds with and without a page that follows."""
    costs = {True: [], False: []}
    with Proxied(proxyd) as proxied, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        record(proxied, seconds)
        for _ in range(rounds):
            costs[False].append(record(proxied, seconds))
            with Web(proxyctl, proxied.data) as web, Page(browser, web) as page:
                costs[True].append(record(proxied, seconds))
                if page.page.get_by_role("button", name="Follow").get_attribute("aria-pressed") != "true":
                    sys.exit("the page does not follow")
        browser.close()
    without, beside = (statistics.median(costs[is_open]) for is_open in (False, True))
    report("processor time of a recorded request, no page", without, None, "us")
    report("  beside a page that follows", beside, None, "us")
    report("  ratio in per cent", 100 * beside / without, 105, "%")


def record(proxied, seconds):
    """Sends requests at a fixed rate; returns proxyd's microseconds for one. As fast as possible would tell
    something else: the browser takes the time of the same cores, and fewer requests share what each batch costs."""
    proxied.await_rest()
    name = f"127.0.0.1:{proxied.origin}"
    request = f"GET http://{name}/ HTTP/1.1\r\nHost: {name}\r\n\r\n".encode()
    streams = [socket.create_connection(("127.0.0.1", proxied.port)) for _ in range(CONNECTIONS)]
    before, began, count = proxied.processor_s(), time.monotonic(), 0
    while time.monotonic() - began < seconds:
        for stream in streams:
            stream.sendall(request)
        for stream in streams:
            await_answer(stream)
        count += CONNECTIONS
        time.sleep(max(0, began + count / RATE - time.monotonic()))
    # What is written behind the last ones is theirs as well.
    proxied.await_rest()
    for stream in streams:
        stream.close()
    return (proxied.processor_s() - before) * 1e6 / count


def await_answer(stream):
    received = b""
    while not received.endswith(b"}"):
        part = stream.recv(65536)
        if not part:
            sys.exit("the proxy closed a connection")
        received += part


def main():
    missing = [program for program in (*NEEDED, "strip") if not shutil.which(program)]
    if len(sys.argv) != 4 or missing:
        sys.exit(__doc__ if len(sys.argv) != 4 else f"not there: {' '.join(missing)}")
    _, proxyd, proxyctl, data = sys.argv
    with Web(proxyctl, data) as web:
        total = json.loads(web.get(web.connection(), "/api/v1/count"))["count"]
        print(f"{total} exchanges")
        measure_page(web)
        measure_interface(web)
        sizes = web.resident_mebibytes()
        report("resident memory of proxyctl web after all that", sizes["VmRSS"], 40, "MiB")
        report("  of that its own", sizes["RssAnon"], None, "MiB")
        report("  at its highest", sizes["VmHWM"], None, "MiB")
    count_instructions(proxyctl, data)
    measure_recording(proxyd, proxyctl)
    sys.exit(f"missed: {', '.join(missed)}" if missed else 0)


main()

"""Every charset decodes and encodes as in Chromium: every byte, every pair, every character."""

import base64
import itertools
import random
import re
import subprocess
import unittest
import urllib.parse

from playwright.sync_api import sync_playwright

from pages import CHROMIUM
from rig import ROOT, TEST_PROGRAMS

DECODE = """([label, text]) => {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    return new TextDecoder(label, {ignoreBOM: true}).decode(bytes);
}"""
NAME = "(labels) => labels.map((label) => new TextDecoder(label).encoding)"
# A link's query is encoded in the charset of its document.
ENCODE = """(text) => {
    const link = document.createElement("a");
    link.href = "http://localhost/?" + text;
    return link.search.slice(1);
}"""
# Where Chromium does not follow the standard: pairs of characters of Big5, what follows a cut
# character of three bytes in EUC-JP, and an escape of two bytes and another one in ISO-2022-JP.
ODD = {
    "Big5": re.compile(rb"\x88[\x62\x64\xa3\xa5]"),
    "EUC-JP": re.compile(rb"\x8f[\xa1-\xfe](?![\xa1-\xfe])"),
    "ISO-2022-JP": re.compile(rb"\x1b(?:\((?![BIJ])|\$(?![@B]))"),
}
# Private characters, which Shift_JIS decodes; the standard does not encode them, and edited text
# may have them.
PRIVATE = {"Shift_JIS": range(0xE000, 0xE758)}
# TextDecoder refuses these: no page may decode with them.
REFUSED = "replacement"
# Their documents encode queries as UTF-8.
WIDE = {"UTF-16LE", "UTF-16BE"}


def labels():
    """The labels by the names of their charsets, as scripts/make-charsets wrote them."""
    source = (ROOT / "Sources/Charsets/Tables/Charset+Labels.swift").read_text()
    text = source.split('"""')[1].replace("\\\n", " ")
    lines = [line.split(":", 1) for line in text.strip().splitlines()]
    return {name.strip(): words.split() for name, words in lines}


def program(*arguments, data):
    return subprocess.run(
        [TEST_PROGRAMS / "ProxydCharsetProgram", *arguments], input=data, capture_output=True,
        check=True).stdout


def first_difference(one, two):
    place = next(
        (place for place, (a, b) in enumerate(zip(one, two)) if a != b),
        min(len(one), len(two)))
    near = slice(max(0, place - 4), place + 4)
    return f"at {place}: {one[near]!a} is not {two[near]!a}"


def sequences(name):
    """Every byte and every pair, each before a line feed; longer ones where a charset has them."""
    pairs = [bytes(pair) for pair in itertools.product(range(256), repeat=2)]
    data = [bytes([byte]) for byte in range(256)] + pairs
    if name == "EUC-JP":
        data += [b"\x8f" + pair for pair in pairs]
    if name in ("gb18030", "GBK"):
        leads, digits = range(0x80, 0x100), range(0x2F, 0x3B)
        four = itertools.product(leads, digits, leads, digits)
        data += [bytes(sequence) for sequence in itertools.islice(four, 0, None, 11)]
    if name == "ISO-2022-JP":
        escapes = [b"(B", b"(J", b"(I", b"$@", b"$B", b"$(D", b"&@", b"("]
        data = [b"\x1b" + escape + item for escape in escapes for item in data[::7]]
    chance = random.Random(1)
    data += [chance.randbytes(chance.randrange(3, 9)) for _ in range(20_000)]
    odd = ODD.get(name)
    return b"\n".join(item for item in data if odd is None or not odd.search(item))


def characters():
    """Every character that a charset may have and Unicode's others of a few planes."""
    for start, end in ((0x80, 0xD800), (0xE000, 0x11000), (0x1F000, 0x30000), (0x10FF00, 0x110000)):
        yield from map(chr, range(start, end))


class CharsetTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        playwright = sync_playwright().start()
        cls.addClassCleanup(playwright.stop)
        cls.browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox"])
        cls.addClassCleanup(cls.browser.close)

    def setUp(self):
        self.page = self.browser.new_page()
        self.addCleanup(self.page.close)

    def open_document(self, charset):
        self.page.route("**/*", lambda route: route.fulfill(
            body="<!doctype html>", content_type=f"text/html; charset={charset}"))
        self.page.goto("http://localhost/")
        self.assertEqual(self.page.evaluate("document.characterSet"), charset)
        self.page.unroute_all()

    def test_labels_mean_the_same_charsets(self):
        known = labels()
        self.assertGreater(sum(map(len, known.values())), 200)
        for name, words in known.items():
            written = [*words, *(word.upper() for word in words), f"\t {words[0]} "]
            found = program("names", data="\n".join(written).encode()).decode().split("\n")
            self.assertEqual(set(found), {name}, name)
            if name != REFUSED:
                self.assertEqual(
                    set(self.page.evaluate(NAME, written)), {name.lower()}, name)

    def test_what_the_browser_does_not_know_is_no_charset(self):
        unknown = ["utf-7", "unicode-1-1-utf-7", "cesu-8", "utf-9", "iso-8859-12", "ebcdic"]
        found = program("names", data="\n".join(unknown).encode()).decode().split("\n")
        self.assertEqual(set(found), {"-"})
        for label in unknown:
            with self.assertRaisesRegex(Exception, "RangeError"):
                self.page.evaluate(NAME, [label])

    def test_bytes_are_the_same_text(self):
        for name, words in labels().items():
            if name == REFUSED:
                continue
            with self.subTest(charset=name):
                data = sequences(name)
                ours = program("decode", words[0], data=data).decode()
                text = base64.b64encode(data).decode()
                theirs = self.page.evaluate(DECODE, [words[0], text])
                self.assertTrue(ours == theirs, first_difference(ours, theirs))

    def test_text_is_the_same_bytes(self):
        for name in labels():
            if name == REFUSED or name in WIDE:
                continue
            private = PRIVATE.get(name, ())
            everything = [text for text in characters() if ord(text) not in private]
            with self.subTest(charset=name):
                self.open_document(name)
                for start in range(0, len(everything), 30_000):
                    text = "|".join(everything[start:start + 30_000])
                    ours = program("encode", name, data=text.encode())
                    theirs = urllib.parse.unquote_to_bytes(self.page.evaluate(ENCODE, text))
                    self.assertTrue(ours == theirs, first_difference(ours, theirs))


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""How long `proxyctl` takes to show the messages of a WebSocket that has very many, and whether it
answers keys meanwhile.

    messages.py PROXYCTL DATA_DIRECTORY

The store is one that GenerateMessages made. Prints milliseconds (wall clock) beside goals.
"""
import sys

from pseudoterminal import CANCEL, LINES, Program, report

TAB = slice(2, LINES - 3)
PAGE_DOWN, PAGE_UP, CLEAR = "\x06", "\x02", "\x15"
BLOCKING = [
    ("page down", PAGE_DOWN),
    ("last message", "G"),
    ("page up from there", PAGE_UP),
    ("pings hidden", "P"),
    ("a filter that nothing passes", "fnowhere to be found\r"),
    ("clearing it", CLEAR),
    ("a search that finds nothing", "/nowhere to be found\r"),
]


def has(words):
    return lambda lines: any(words in line for line in lines)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    program = Program([sys.argv[1], "--data-dir", sys.argv[2]])
    program.settle(program.started, TAB, has("socket"))
    program.press("\r")
    program.read_and_show()
    opened = program.settle(program.press("8"), TAB, has('"seq":0'))
    report("opening the tab, the first message", opened, 150)
    report("the last message", program.settle(program.press("G"), TAB, has("999999")), 150)
    report("a page up", program.settle(program.press(PAGE_UP), TAB), 150)
    for name, keys in BLOCKING:
        for key in keys[:-1]:
            program.press(key)
            program.read_and_show()
        report(f"a key after: {name}", program.blocked(keys[-1]), 100)
    program.press(CANCEL)
    program.read_and_show()
    pressed = program.press("gfnote\r")
    report("the first matches of a filter", program.appears(pressed, has("seldom")), 500)
    report("counting them all", program.appears(pressed, has("1,000 matches")), 10_000)
    program.press(CLEAR)
    program.read_and_show()
    sizes = program.resident_mebibytes()
    report("resident memory", sizes["VmRSS"], 80, "MiB")
    report("of that its own", sizes["RssAnon"], 80, "MiB")
    report("at its highest", sizes["VmHWM"], 80, "MiB")
    program.end()


main()

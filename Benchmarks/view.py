#!/usr/bin/env python3
"""How long `proxyctl` takes to show a large JSON body, and whether it answers keys meanwhile.

    view.py PROXYCTL DATA_DIRECTORY

The store is one that GenerateBody made. Prints milliseconds (wall clock) beside goals.
"""
import sys

from pseudoterminal import CANCEL, ESCAPE, LINES, Program, report

BODY = slice(2, LINES - 3)
PAGE_DOWN, PAGE_UP, CONTROL_D = "\x06", "\x02", "\x04"
CLEAR = "\x15"
LAST = "the very last one"
# (name, keys: what they do may take as long as it likes, the key behind them may not wait)
BLOCKING = [
    ("page down", PAGE_DOWN),
    ("half a page down", CONTROL_D),
    ("fold one", "gjjj\r"),
    ("unfold it", "\r"),
    ("fold everything", "-"),
    ("unfold everything", "+"),
    ("fold the outermost", "gj\r"),
    ("unfold the outermost", "\r"),
    ("wrap", "w"),
    ("last line", "G"),
    ("page up from there", PAGE_UP),
    ("indented text", "v"),
    ("its last line", "G"),
    ("the next viewer", "v"),
    ("its last line", "G"),
    ("raw", "6"),
    ("raw, last line", "G"),
    ("hex", "7"),
    ("hex, last line", "G"),
    ("back to the tree", "3gVV"),
    ("search that finds nothing", "/nowhere to be found\r"),
    ("search for the last element", "/" + CLEAR + LAST + "\r"),
]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    program = Program([sys.argv[1], "--data-dir", sys.argv[2]])
    program.settle(program.started, BODY, lambda lines: any("large" in line for line in lines))
    pressed = program.press("\r3")
    shown = program.settle(pressed, BODY, lambda lines: any("item 1" in line for line in lines))
    report("first screen of the body", shown, 300)
    for name, keys in BLOCKING:
        for key in keys[:-1]:
            program.press(key)
            program.read_and_show()
        report(f"a key after: {name}", program.blocked(keys[-1]), 100)
    ends = [("the last line", "G"), ("the last line, folded and unfolded", "g-+G")]
    for name, keys in ends:
        reach(program, name, keys)
    search(program)
    sizes = program.resident_mebibytes()
    report("resident memory", sizes["VmRSS"], 80, "MiB")
    report("of that its own", sizes["RssAnon"], 80, "MiB")
    report("at its highest", sizes["VmHWM"], 80, "MiB")
    program.end()


def reach(program, name, keys):
    pressed = program.press(keys)
    spent = program.appears(pressed, lambda lines: any(LAST in line for line in lines[BODY]))
    program.read_and_show()
    report(name, spent, 10_000)


def search(program):
    """From the first line to the last one and, given up, nowhere."""
    program.press("g/" + CLEAR + LAST)
    program.read_and_show()
    pressed = program.press("\r")
    spent = program.appears(pressed, lambda lines: any(LAST in line for line in lines[BODY]))
    program.read_and_show()
    report("search of the whole body", spent, 10_000)
    program.press("g/" + CLEAR + "nowhere to be found\r")
    pressed = program.press(CANCEL + ESCAPE)
    spent = program.appears(pressed, lambda lines: "method" in lines[0])
    report("giving up a search", spent, 100)


main()

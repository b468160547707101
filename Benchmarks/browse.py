#!/usr/bin/env python3
"""How long `proxyctl` takes to show things of a store: keys typed into a pseudo-terminal, and the
time until the list on the screen is what it stays.

    browse.py PROXYCTL DATA_DIRECTORY [large]

Prints milliseconds (wall clock) for each step beside its goal, then how long each of the things
that take long leaves the next key unanswered, and the resident memory. With `large`, only the steps
that must be as fast on a store of ten million.
"""
import sys
import time

from pseudoterminal import CANCEL, ESCAPE, LINES, Program, report

LIST = slice(1, LINES - 3)
INFORMATION = LINES - 3
IDLE_SECONDS = 5
CLEAR = "\x15"
PAGE_DOWN, PAGE_UP = "\x06", "\x02"
HOST = "example.com"
# The count of what matches and the state of the index are told meanwhile, below the list.
STEPS = [
    # (name, keys, goal in ms, what must be on the screen at last)
    ("page down at the beginning", "gg" + PAGE_DOWN, 30, HOST),
    ("last page", "gG", 30, HOST),
    ("page up from the end", PAGE_UP, 30, HOST),
    ("status>=500 host:api", "/status>=500 host:api\r", 100, " 50"),
    ("page down in it", PAGE_DOWN, 30, " 50"),
    ("substring of a URL", CLEAR + "/url:v2/invoices/7\r", 300, "/v2/invoices/7"),
    ("substring in bodies", CLEAR + "/body:violin\r", 1000, HOST),
    ("substring in few bodies", CLEAR + '/resbody:"\\"id\\":7769,"\r', 1000, HOST),
    ("value of a parameter", CLEAR + "/param.user.id=7743\r", 300, HOST),
    ("regular expression of few paths", CLEAR + "/path~^/v./users/469$\r", 5000, "/users/469"),
    ("negation of nearly all", CLEAR + "/not host:api not host:example\r", 5000, None),
    ("nothing matches", CLEAR + "/url:nowhere-at-all\r", 1000, "nothing matches"),
    ("no filter", CLEAR, 150, HOST),
]
# The goals of steps on a store of ten million.
LARGE_GOALS = {
    "page down at the beginning": 60, "last page": 60, "page up from the end": 60,
    "status>=500 host:api": 100, "page down in it": 60, "substring in bodies": 200,
    "substring in few bodies": 200, "value of a parameter": 100,
}
# (column, the letter that chooses it, goal in ms)
SORTS = [
    ("duration", "d", 300), ("status", "s", 300), ("host", "h", 300), ("size", "z", 2000),
    ("method", "m", 2000), ("path", "p", 2000), ("type", "y", 2000), ("process", "r", 4000),
    ("time", "t", 150),
]
# Things that take long on a large store.
LONG = [
    ("regular expression that matches nothing", "/path~^/nowhere.*\r"),
    ("search of all bodies for what all have", CLEAR + "/resbody~nowhere\r"),
    ("tree", CLEAR + "T"),
    ("summary", "S"),
    ("waterfall", "W"),
]


def main():
    if len(sys.argv) not in (3, 4) or sys.argv[3:] not in ([], ["large"]):
        sys.exit(__doc__)
    is_large = len(sys.argv) == 4
    program = Program([sys.argv[1], "--data-dir", sys.argv[2]])
    first = program.settle(
        program.started, LIST, lambda lines: any(HOST in line for line in lines))
    report("first screen", first, 60)
    for name, keys, goal, text in STEPS:
        if not is_large:
            step(program, name, keys, goal, text)
        elif name in LARGE_GOALS:
            step(program, name, keys, LARGE_GOALS[name], text)
    if is_large:
        program.end()
        return
    for column, letter, goal in SORTS:
        sort(program, column, letter, goal)
    for name, keys in LONG:
        answer(program, name, keys)
    before = program.processor_milliseconds()
    time.sleep(IDLE_SECONDS)
    spent = program.processor_milliseconds() - before
    report("idle without a daemon, processor", spent / IDLE_SECONDS / 10, 1.0, "%")
    sizes = program.resident_mebibytes()
    report("resident memory", sizes["VmRSS"], 80, "MiB")
    report("of that its own", sizes["RssAnon"], 80, "MiB")
    report("at its highest", sizes["VmHWM"], 80, "MiB")
    program.end()


def step(program, name, keys, goal, text):
    # The last key is the one that is answered; those before it are typing.
    for key in keys[:-1]:
        program.press(key)
        program.read_and_show()
    before = program.processor_milliseconds()
    pressed = program.press(keys[-1])
    spent = program.settle(pressed, LIST, lambda lines: is_read(lines, text))
    report(name, spent, goal)
    if spent > goal:
        print(f"    processor time {program.processor_milliseconds() - before:.0f} ms", flush=True)


def is_read(lines, text):
    """Whether the list says that it is complete, and shows some text."""
    if "reading" in lines[INFORMATION]:
        return False
    return text is None or any(text in line for line in lines[LIST])


def sort(program, column, letter, goal):
    """Sorts by a column and turns a page, then goes to the end and turns one back."""
    step(program, f"sort by {column}", "o" + letter, goal, HOST)
    step(program, "  page down in it", PAGE_DOWN, 30, HOST)
    step(program, "  last page", "G", goal, HOST)
    step(program, "  page up from there", PAGE_UP, 30, HOST)


def answer(program, name, keys):
    """How long the next key waits while something long is under way, and whether it ends."""
    for key in keys[:-1]:
        program.press(key)
        program.read_and_show()
    report(f"a key after: {name}", program.blocked(keys[-1]), 100)
    program.press(CANCEL)
    program.read_and_show()
    if keys[-1] in "TS":
        program.press(ESCAPE)
        program.read_and_show()


main()

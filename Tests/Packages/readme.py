"""Prints the commands of a block of README.md: readme.py HEADING NUMBER, counted from 1."""

import re
import sys

heading, number = sys.argv[1], int(sys.argv[2])
text = open("README.md", encoding="utf-8").read()
section = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", text, re.M | re.S)
blocks = re.findall(r"^```sh\n(.*?)^```$", section[1] if section else "", re.M | re.S)
if len(blocks) < number:
    sys.exit(f"README.md has no block {number} under {heading}")
print(blocks[number - 1], end="")

"""Takes out of a program what depends on where it was built, in place: settle.py FILE.

The compiler leaves in every object a hash of its command line with paths, in the section
.swift_modhash, which nothing reads: its bytes become 0. The build ID was made with these in it: a
new one is made from what remains. Nothing moves; objcopy, which could remove the section, would
also drop the segment that makes relocations read-only.
"""

import hashlib
import struct
import sys


def sections(program):
    """The sections of a 64-bit little-endian ELF file by name: their places and lengths."""
    if program[:6] != b"\x7fELF\x02\x01":
        sys.exit("not a 64-bit little-endian ELF file")
    (table,) = struct.unpack_from("<Q", program, 40)
    size, count, names_index = struct.unpack_from("<HHH", program, 58)
    headers = [struct.unpack_from("<IIQQQQ", program, table + index * size) for index in range(count)]
    names = headers[names_index][4]
    found = {}
    for name, _, _, _, place, length in headers:
        start = names + name
        found[program[start : program.index(b"\0", start)].decode()] = (place, length)
    return found


file = sys.argv[1]
with open(file, "rb") as opened:
    program = bytearray(opened.read())
there = sections(program)
if ".swift_modhash" in there:
    place, length = there[".swift_modhash"]
    program[place : place + length] = bytes(length)
# A note has three lengths of four bytes and the name "GNU\0" before the build ID.
place, length = there[".note.gnu.build-id"]
start, end = place + 16, place + length
program[start:end] = bytes(end - start)
program[start:end] = hashlib.sha256(program).digest()[: end - start].ljust(end - start, b"\0")
with open(file, "wb") as opened:
    opened.write(program)

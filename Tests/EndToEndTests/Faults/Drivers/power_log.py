"""Reads what power_log.c wrote, and says what is on the disk after a power failure at any moment.

A file's octets are on the disk once it is flushed (fsync, fdatasync), a folder's names once the folder
is. What was written since may be there or not, in any order, down to sectors of 512 octets: a file may
have its new length and not its new octets.
"""
import collections
import os
import random
import struct

WRITE, CUT, FLUSH, FLUSH_FOLDER, MAKE, REMOVE, RENAME = range(1, 8)
HEAD = struct.Struct("<II4QII")
MAGIC = 0x72776F70
SECTOR = 512

Record = collections.namedtuple("Record", "kind began ended inode offset name data")


def read(path):
    """The records in order. The last may be half there: its program was killed."""
    with open(path, "rb") as file:
        octets = file.read()
    records, place = [], 0
    while place + HEAD.size <= len(octets):
        magic, kind, began, ended, inode, offset, name_length, data_length = HEAD.unpack_from(octets, place)
        assert magic == MAGIC, f"no record at {place}"
        start = place + HEAD.size
        place = start + name_length + data_length
        if place > len(octets):
            break
        name = octets[start:start + name_length].decode()
        records.append(Record(kind, began, ended, inode, offset, name, octets[start + name_length:place]))
    return records


class File:
    """Octets that are on the disk, and what was done since."""

    def __init__(self, octets=b""):
        self.durable, self.pending = bytearray(octets), []

    def flush(self):
        self.durable = self.content(lambda record: True)
        self.pending = []

    def content(self, is_kept, is_torn=False, chance=random):
        octets = bytearray(self.durable)
        for record in self.pending:
            if is_torn and record.kind == WRITE:
                write_some(octets, record, chance)
            elif is_kept(record):
                apply(octets, record)
        return octets


def apply(octets, record):
    if record.kind == CUT:
        resize(octets, record.offset)
    else:
        resize(octets, max(len(octets), record.offset))
        octets[record.offset:record.offset + len(record.data)] = record.data


def write_some(octets, record, chance):
    """Some of a write's sectors, and maybe the new length without the octets."""
    end = record.offset + len(record.data)
    if chance.random() < 0.5:
        resize(octets, max(len(octets), end))
    share, place = chance.choice([0.1, 0.5, 0.9]), record.offset
    while place < end:
        stop = min(end, (place // SECTOR + 1) * SECTOR)
        if chance.random() < share:
            resize(octets, max(len(octets), place))
            octets[place:stop] = record.data[place - record.offset:stop - record.offset]
        place = stop


def resize(octets, length):
    if length < len(octets):
        del octets[length:]
    else:
        octets.extend(bytes(length - len(octets)))


class Disk:
    """The files below a folder while a log is played, from what was there before; `step` plays a record."""

    def __init__(self, base):
        self.files, self.names, self.pending = {}, {}, []
        # The kernel's number of a file that is gone is used again; ours is not.
        self.keys = {}
        for folder, _, names in os.walk(base):
            for name in names:
                path = os.path.join(folder, name)
                with open(path, "rb") as file:
                    self.files[path] = File(file.read())
                self.names[os.path.relpath(path, base)] = path
        # What is there for the program; a name leads to a file, which renaming does not change.
        self.visible = dict(self.names)

    def step(self, record):
        if record.kind in (MAKE, REMOVE, RENAME):
            operation = self.operation(record)
            self.pending.append(operation)
            self.link(self.visible, operation)
        elif record.kind == FLUSH_FOLDER:
            rest = []
            for operation in self.pending:
                if os.path.dirname(operation[1]) == record.name:
                    self.link(self.names, operation)
                else:
                    rest.append(operation)
            self.pending = rest
        else:
            file = self.file(record)
            if record.kind == FLUSH:
                file.flush()
            else:
                file.pending.append(record)

    def operation(self, record):
        if record.kind == MAKE:
            key = self.keys.get(record.inode)
            # A file that has a name gets another one; else it is a new file.
            if key is None or key not in self.visible.values():
                key = self.keys[record.inode] = len(self.files)
                self.files[key] = File()
            return MAKE, record.name, key
        if record.kind == REMOVE:
            return REMOVE, record.name, None
        return RENAME, record.name, record.data.decode()

    def file(self, record):
        """By its name, which every write is told with; nobody's where it has lost that."""
        key = self.visible.get(record.name)
        return File() if key is None else self.files[key]

    @staticmethod
    def link(names, operation):
        kind, name, what = operation
        if kind == MAKE:
            names[name] = what
        elif kind == REMOVE:
            names.pop(name, None)
        elif name in names:
            names[what] = names.pop(name)

    def lasting(self, how, chance):
        """Names and octets after a power failure now."""
        if how == "forgets":
            keeps = lambda _: False
        elif how == "keeps":
            keeps = lambda _: True
        else:
            share = chance.choice([0.1, 0.5, 0.9])
            keeps = lambda _: chance.random() < share
        names = dict(self.names)
        for operation in self.pending:
            if keeps(operation):
                self.link(names, operation)
        only = chance.choice(list(self.files) or [None])
        octets = {}
        for name, key in names.items():
            file = self.files[key]
            if how == "one file":
                octets[name] = file.content(lambda _: key == only)
            else:
                octets[name] = file.content(keeps, how == "tears", chance)
        return octets


HOW = ["forgets", "keeps", "reorders", "tears", "one file"]


def write(octets, folder, chance=None):
    """Makes files of a state. What is shared memory is not on a disk, so that anything may be there."""
    for name, content in octets.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        if chance and name.endswith("-shm"):
            content = chance.randbytes(len(content))
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(content)

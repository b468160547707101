"""Reads and writes field blocks as Python's hpack and nghttp2 do.

usage: hpack-peers.py PEER CASES

PEER is "hpack" or "nghttp2". CASES has a block a line: the number of the connection; the sizes that
its table has had since the last block, joined by commas, or "-"; our block in hexadecimal digits
after an x, or "-"; and the field lines in hexadecimal digits, each `name:value`. Where there is a
block, "read" is printed with the field lines as the peer reads them, or "refused"; else "wrote" with
its own block of them.
"""

import ctypes
import ctypes.util
import sys


def main(name, path):
    peer = {"hpack": Hpack, "nghttp2": Nghttp2}[name]
    number, connection = None, None
    with open(path, encoding="ascii") as file:
        for line in file:
            words = line.split()
            if words[0] != number:
                number, connection = words[0], peer()
            sizes = [] if words[1] == "-" else [int(size) for size in words[1].split(",")]
            if words[2] == "-":
                lines = [
                    tuple(bytes.fromhex(part) for part in word.split(":")) for word in words[3:]
                ]
                print("wrote", connection.write(lines, sizes).hex())
                continue
            block = bytes.fromhex(words[2][1:])
            lines = connection.read(block, sizes)
            if lines is None:
                # Its table is of no more use.
                print("refused")
                connection = peer()
            else:
                print("read", *(f"{name.hex()}:{value.hex()}" for name, value in lines))


class Hpack:
    def __init__(self):
        import hpack

        self.error = hpack.HPACKError
        self.decoder = hpack.Decoder(max_header_list_size=1 << 24)
        self.encoder = hpack.Encoder()

    def read(self, block, sizes):
        for size in sizes:
            self.decoder.max_allowed_table_size = size
        try:
            return [(bytes(n), bytes(v)) for n, v in self.decoder.decode(block, raw=True)]
        except self.error:
            return None

    def write(self, lines, sizes):
        # It tells each size that it was given, but the peer takes none above the last one, and it
        # forgets that its size changed when it is set to what it is. Large tables are slow.
        for size in [min(sizes), sizes[-1]] if sizes else []:
            if min(size, 4096) != self.encoder.header_table_size:
                self.encoder.header_table_size = min(size, 4096)
        return self.encoder.encode([(name, value) for name, value in lines])


class Pair(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_void_p), ("value", ctypes.c_void_p),
        ("name_length", ctypes.c_size_t), ("value_length", ctypes.c_size_t),
        ("flags", ctypes.c_uint8),
    ]


class Nghttp2:
    def __init__(self):
        self.library = library = ctypes.CDLL("libnghttp2.so.14")
        library.nghttp2_hd_deflate_hd.restype = ctypes.c_ssize_t
        library.nghttp2_hd_deflate_bound.restype = ctypes.c_size_t
        library.nghttp2_hd_inflate_hd2.restype = ctypes.c_ssize_t
        self.inflater, self.deflater = ctypes.c_void_p(), ctypes.c_void_p()
        if library.nghttp2_hd_inflate_new(ctypes.byref(self.inflater)):
            raise MemoryError
        if library.nghttp2_hd_deflate_new(ctypes.byref(self.deflater), ctypes.c_size_t(4096)):
            raise MemoryError

    def __del__(self):
        self.library.nghttp2_hd_inflate_del(self.inflater)
        self.library.nghttp2_hd_deflate_del(self.deflater)

    def read(self, block, sizes):
        for size in sizes:
            self.library.nghttp2_hd_inflate_change_table_size(
                self.inflater, ctypes.c_size_t(size))
        lines, pair, flags = [], Pair(), ctypes.c_int()
        rest = ctypes.create_string_buffer(block, len(block) + 1)
        start, end = ctypes.addressof(rest), ctypes.addressof(rest) + len(block)
        while True:
            taken = self.library.nghttp2_hd_inflate_hd2(
                self.inflater, ctypes.byref(pair), ctypes.byref(flags), ctypes.c_void_p(start),
                ctypes.c_size_t(end - start), 1)
            if taken < 0:
                return None
            start += taken
            if flags.value & 2:
                lines.append((
                    ctypes.string_at(pair.name, pair.name_length),
                    ctypes.string_at(pair.value, pair.value_length)))
            if flags.value & 1:
                self.library.nghttp2_hd_inflate_end_headers(self.inflater)
                return lines
            if not flags.value & 2 and start == end:
                return None

    def write(self, lines, sizes):
        for size in sizes:
            self.library.nghttp2_hd_deflate_change_table_size(
                self.deflater, ctypes.c_size_t(size))
        pairs, kept = (Pair * max(1, len(lines)))(), []
        for pair, (name, value) in zip(pairs, lines):
            buffers = [ctypes.create_string_buffer(part, len(part) + 1) for part in (name, value)]
            kept += buffers
            pair.name, pair.value = (ctypes.addressof(buffer) for buffer in buffers)
            pair.name_length, pair.value_length = len(name), len(value)
        count = ctypes.c_size_t(len(lines))
        bound = self.library.nghttp2_hd_deflate_bound(self.deflater, pairs, count)
        output = ctypes.create_string_buffer(bound + 64)
        written = self.library.nghttp2_hd_deflate_hd(
            self.deflater, output, ctypes.c_size_t(bound + 64), pairs, count)
        if written < 0:
            raise ValueError(written)
        return output.raw[:written]


if __name__ == "__main__":
    main(*sys.argv[1:])

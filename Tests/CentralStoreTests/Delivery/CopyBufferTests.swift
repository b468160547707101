import Testing

@testable import ProxydCentralStore

/// Rows of COPY (PostgreSQL manual, COPY, "Binary Format").
@Suite struct CopyBufferTests {
    private final class Sink {
        var pieces: [[UInt8]] = []
    }

    /// `PGCOPY\n\377\r\n\0`, no flags, no extension.
    private let head: [UInt8] = [
        0x50, 0x47, 0x43, 0x4F, 0x50, 0x59, 0x0A, 0xFF, 0x0D, 0x0A, 0x00, 0, 0, 0, 0, 0, 0, 0, 0,
    ]
    private let null: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF]
    private let end: [UInt8] = [0xFF, 0xFF]

    /// The pieces that are sent.
    private func pieces(
        _ body: (inout CopyBuffer) throws(CentralError) -> Void
    ) throws(CentralError) -> [[UInt8]] {
        let sink = Sink()
        var buffer = CopyBuffer { bytes throws(CentralError) in
            sink.pieces.append(bytes.withUnsafeBytes { Array($0) })
        }
        try body(&buffer)
        try buffer.finish()
        return sink.pieces
    }

    /// The bytes of one row with one value.
    private func value(
        _ body: (inout CopyBuffer) throws(CentralError) -> Void
    ) throws -> [UInt8] {
        let pieces = try pieces { buffer throws(CentralError) in
            try buffer.startRow(1)
            try body(&buffer)
        }
        let bytes = try #require(pieces.first)
        #expect(pieces.count == 1)
        #expect(Array(bytes.prefix(21)) == head + [0, 1])
        #expect(Array(bytes.suffix(2)) == end)
        return Array(bytes.dropFirst(21).dropLast(2))
    }

    @Test func `COPY data without rows is a header and an end marker`() throws {
        let pieces = try pieces { _ throws(CentralError) in }
        #expect(pieces == [head + end])
    }

    @Test func `a COPY row consists of its number of values and each value with its length`() throws
    {
        let pieces = try pieces { buffer throws(CentralError) in
            try buffer.startRow(2)
            buffer.boolean(true)
            buffer.null()
            try buffer.startRow(0)
            try buffer.startRow(258)
        }
        let rows: [UInt8] = [0, 2, 0, 0, 0, 1, 1, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 1, 2]
        #expect(pieces == [head + rows + end])
    }

    @Test(
        arguments: [
            (0, [0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0], [0, 0]),
            (
                -2, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFE], [0xFF, 0xFF, 0xFF, 0xFE],
                [0xFF, 0xFE]
            ),
            (32_768, [0, 0, 0, 0, 0, 0, 0x80, 0], [0, 0, 0x80, 0], [0x7F, 0xFF]),
            (
                .max, [0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [0x7F, 0xFF, 0xFF, 0xFF],
                [0x7F, 0xFF]
            ),
            (.min, [0x80, 0, 0, 0, 0, 0, 0, 0], [0x80, 0, 0, 0], [0x80, 0]),
        ] as [(Int64, [UInt8], [UInt8], [UInt8])])
    func `a number that does not fit its COPY type is clamped to the nearest value`(
        number: Int64, bigint: [UInt8], integer: [UInt8], smallint: [UInt8]
    ) throws {
        #expect(try value { $0.bigint(number) } == [0, 0, 0, 8] + bigint)
        #expect(try value { $0.integer(number) } == [0, 0, 0, 4] + integer)
        #expect(try value { $0.smallint(number) } == [0, 0, 0, 2] + smallint)
    }

    @Test func `text and bytea values in COPY data are unchanged except for NUL in text`() throws {
        #expect(try value { $0.text("") } == [0, 0, 0, 0])
        #expect(try value { $0.text("é") } == [0, 0, 0, 2, 0xC3, 0xA9])
        #expect(try value { $0.text("a\0") } == [0, 0, 0, 4, 0x61, 0xE2, 0x90, 0x80])
        #expect(try value { $0.bytea([]) } == [0, 0, 0, 0])
        #expect(try value { $0.bytea([0, 0xFF]) } == [0, 0, 0, 2, 0, 0xFF])
        #expect(try value { $0.boolean(false) } == [0, 0, 0, 1, 0])
    }

    @Test func `the length of an array in COPY data includes the headers of its elements`() throws {
        let empty: [UInt8] = [0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 25]
        #expect(try value { $0.texts([]) } == empty)
        let two: [UInt8] = [
            0, 0, 0, 32, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 25, 0, 0, 0, 2, 0, 0, 0, 1,
            0, 0, 0, 1, 0x61, 0, 0, 0, 3, 0xE2, 0x90, 0x80,
        ]
        #expect(try value { $0.texts(["a", "\0"]) } == two)
    }

    @Test func `a timestamp in COPY data is rounded down to microseconds since 2000`() throws {
        let before: [UInt8] = [0, 0, 0, 8, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
        #expect(try value { $0.timestamp(ns: 946_684_799_999_999_999) } == before)
        let after: [UInt8] = [0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 1]
        #expect(try value { $0.timestamp(ns: 946_684_800_000_001_999) } == after)
    }

    @Test func `nil values are written as NULL in COPY data`() throws {
        #expect(try value { $0.null() } == null)
        #expect(try value { $0.bigint(nil) } == null)
        #expect(try value { $0.integer(nil) } == null)
        #expect(try value { $0.smallint(nil) } == null)
        #expect(try value { $0.boolean(nil) } == null)
        #expect(try value { $0.text(nil) } == null)
        #expect(try value { $0.bytea(nil) } == null)
        #expect(try value { $0.texts(nil) } == null)
    }

    @Test func `many COPY rows are sent in order in chunks of complete rows`() throws {
        var rows: [UInt8] = []
        for number in 0..<300 {
            rows += [0, 2, 0, 0, 3, 0xE8]
            rows += [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 1_000)
            rows += null
        }
        let pieces = try pieces { buffer throws(CentralError) in
            for number in 0..<300 {
                try buffer.startRow(2)
                buffer.bytea(
                    [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 1_000))
                buffer.null()
            }
        }
        #expect(pieces.flatMap { $0 } == head + rows + end)
        #expect(pieces.count == 5)
        // 64 KiB are exceeded by less than a row.
        #expect(pieces.dropLast().allSatisfy { $0.count > 65_536 && $0.count <= 65_536 + 1_010 })
    }

    @Test func `a COPY chunk that cannot be sent ends the COPY with the error from sending it`() {
        let error = CentralError.connection("gone")
        let sink = Sink()
        var startedCount = 0
        #expect(throws: error) {
            var buffer = CopyBuffer { bytes throws(CentralError) in
                sink.pieces.append(bytes.withUnsafeBytes { Array($0) })
                throw error
            }
            for _ in 0..<10 {
                try buffer.startRow(1)
                startedCount += 1
                buffer.bytea([UInt8](repeating: 7, count: 40_000))
            }
            try buffer.finish()
        }
        #expect(sink.pieces.count == 1 && startedCount == 2)
    }

    @Test func `a COPY fails if its end marker cannot be sent`() {
        let error = CentralError.server(code: "57014", message: "cancelled")
        #expect(throws: error) {
            let buffer = CopyBuffer { _ throws(CentralError) in throw error }
            try buffer.finish()
        }
    }
}

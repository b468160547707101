internal import ProxydHTTPModel

/// Writes field lines of a head behind each other; neighbours that stay as they are go as one copy.
struct HTTP1LineWriter {
    let fields: HeaderFields
    private(set) var run = 0..<0

    init(_ fields: HeaderFields) { self.fields = fields }

    /// Keeps a line octet for octet.
    mutating func keep(_ line: HeaderFields.Line, into output: inout [UInt8]) {
        if run.upperBound == line.range.lowerBound, !run.isEmpty {
            run = run.lowerBound..<line.range.upperBound
        } else {
            flush(into: &output)
            run = line.range
        }
    }

    /// Writes what was kept.
    mutating func flush(into output: inout [UInt8]) {
        guard !run.isEmpty else { return }
        output.append(contentsOf: fields.octets[run])
        run = 0..<0
    }

    /// Writes a line's name, as spelt, with another value.
    mutating func replace(
        _ line: HeaderFields.Line,
        into output: inout [UInt8],
        value: (inout [UInt8]) -> Void
    ) {
        flush(into: &output)
        output.append(contentsOf: fields.octets[line.nameRange])
        output.append(0x3A)
        output.append(0x20)
        value(&output)
        output.append(0x0D)
        output.append(0x0A)
    }

    /// Writes a line of our own.
    mutating func add(
        _ name: StaticString,
        into output: inout [UInt8],
        value: (inout [UInt8]) -> Void
    ) {
        flush(into: &output)
        output.append(name)
        output.append(0x3A)
        output.append(0x20)
        value(&output)
        output.append(0x0D)
        output.append(0x0A)
    }
}

extension [UInt8] {
    /// Appends a literal.
    mutating func append(_ literal: StaticString) {
        append(
            contentsOf: UnsafeBufferPointer(
                start: literal.utf8Start,
                count: literal.utf8CodeUnitCount
            )
        )
    }
}

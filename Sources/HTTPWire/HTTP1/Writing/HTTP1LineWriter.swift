internal import ProxydHTTPModel

/// Writes the field lines of a head one after another; adjacent unchanged lines are copied
/// together.
struct HTTP1LineWriter {
    let fields: HeaderFields
    private(set) var run = 0..<0

    init(_ fields: HeaderFields) { self.fields = fields }

    /// Keeps a line byte for byte.
    mutating func keep(_ line: HeaderFields.Line, into output: inout [UInt8]) {
        if run.upperBound == line.range.lowerBound, !run.isEmpty {
            run = run.lowerBound..<line.range.upperBound
        } else {
            flush(into: &output)
            run = line.range
        }
    }

    /// Writes the kept lines that have not been written yet.
    mutating func flush(into output: inout [UInt8]) {
        guard !run.isEmpty else { return }
        output.append(contentsOf: fields.bytes[run])
        run = 0..<0
    }

    /// Writes a line's name as spelled in the message, with a different value.
    mutating func replace(
        _ line: HeaderFields.Line,
        into output: inout [UInt8],
        value: (inout [UInt8]) -> Void
    ) {
        flush(into: &output)
        output.append(contentsOf: fields.bytes[line.nameRange])
        output.append(0x3A)
        output.append(0x20)
        value(&output)
        output.append(0x0D)
        output.append(0x0A)
    }

    /// Writes a new line.
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
    /// Appends the bytes of a string literal.
    mutating func append(_ literal: StaticString) {
        append(
            contentsOf: UnsafeBufferPointer(
                start: literal.utf8Start,
                count: literal.utf8CodeUnitCount
            )
        )
    }
}

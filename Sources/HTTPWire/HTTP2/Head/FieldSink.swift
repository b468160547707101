internal import ProxydHTTPModel

/// Receives the field lines of a section that is being written.
protocol FieldSink {
    /// Adds a line whose name is in lower case.
    mutating func add(name: Span<UInt8>, value: Span<UInt8>, coding: FieldCoding)
}

extension FieldSink {
    mutating func add(_ name: StaticString, _ value: Span<UInt8>, coding: FieldCoding = .text) {
        let bytes = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        add(name: bytes.span, value: value, coding: coding)
    }

    mutating func add(_ name: StaticString, _ value: String, coding: FieldCoding = .text) {
        add(name, value.utf8.span, coding: coding)
    }

    /// Adds a line of a message with its name in lower case.
    mutating func add(_ line: HeaderFields.Line, of fields: borrowing HeaderFields) {
        let bytes = fields.bytes.span
        let name = bytes.extracting(line.nameRange)
        let value = bytes.extracting(line.valueRange)
        if name.indices.contains(where: { ByteClass.isUpperCase(name[$0]) }) {
            let lowercase = name.indices.map { ASCII.lowercased(name[$0]) }
            add(name: lowercase.span, value: value, coding: line.coding)
        } else {
            add(name: name, value: value, coding: line.coding)
        }
    }
}

/// Encodes field lines with HPACK: the blocks of one direction of a connection, one after another.
struct EncodingSink: FieldSink {
    /// Memory up to this size is kept for the next block.
    private static let keptByteCountMax = 1_024

    var encoder = HPACKEncoder()
    /// The most recent block.
    private(set) var block: [UInt8] = []

    /// Starts a block.
    mutating func begin() {
        block.removeAll(keepingCapacity: block.capacity <= Self.keptByteCountMax)
        encoder.beginBlock(into: &block)
    }

    mutating func add(name: Span<UInt8>, value: Span<UInt8>, coding: FieldCoding) {
        encoder.encode(name: name, value: value, coding: coding, into: &block)
    }
}

/// Writes field lines as text, the form in which heads are recorded.
struct TextSink: FieldSink {
    private var lines: [UInt8] = []

    /// All lines and the empty line.
    var bytes: [UInt8] { lines + [0x0D, 0x0A] }

    mutating func add(name: Span<UInt8>, value: Span<UInt8>, coding: FieldCoding) {
        name.withUnsafeBufferPointer { lines.append(contentsOf: $0) }
        lines.append(": ")
        value.withUnsafeBufferPointer { lines.append(contentsOf: $0) }
        lines.append("\r\n")
    }
}

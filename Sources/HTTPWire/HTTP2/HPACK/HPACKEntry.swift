internal import ProxydHTTPModel

/// An entry of a table: where its line `name: value` with CRLF lies among the table's bytes.
struct HPACKEntry: Sendable {
    /// What ": " and CRLF add to a name and its value.
    static let punctuationByteCount = 4
    /// What an entry is said to cost besides its name and value (RFC 7541 §4.1).
    static let overheadByteCount = 32

    /// The first byte of the line. The dynamic table counts all bytes that it ever had.
    let position: UInt32
    let nameByteCount: UInt32
    let valueByteCount: UInt32
    /// Which name it is, so that nobody has to look again.
    let name: FieldName

    init(position: UInt32, nameByteCount: Int, valueByteCount: Int, name: FieldName) {
        self.position = position
        self.nameByteCount = UInt32(truncatingIfNeeded: nameByteCount)
        self.valueByteCount = UInt32(truncatingIfNeeded: valueByteCount)
        self.name = name
    }

    /// The bytes of the line.
    var lineByteCount: Int {
        Int(nameByteCount) &+ Int(valueByteCount) &+ Self.punctuationByteCount
    }
    /// The size of the entry (RFC 7541 §4.1).
    var tableByteCount: Int {
        Int(nameByteCount) &+ Int(valueByteCount) &+ Self.overheadByteCount
    }

    /// Where the name lies in bytes that have the line from `start` on.
    func nameRange(at start: Int) -> Range<Int> { start..<start &+ Int(nameByteCount) }

    /// Where the value lies in them.
    func valueRange(at start: Int) -> Range<Int> {
        let valueStart = start &+ Int(nameByteCount) &+ 2
        return valueStart..<valueStart &+ Int(valueByteCount)
    }
}

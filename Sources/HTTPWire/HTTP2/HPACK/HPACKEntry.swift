internal import ProxydHTTPModel

/// An entry of a table: the position of its line `name: value` with CRLF in the table's bytes.
struct HPACKEntry: Sendable {
    /// The number of bytes that ": " and CRLF add to a name and its value.
    static let punctuationByteCount = 4
    /// The size counted for an entry in addition to its name and value (RFC 7541 §4.1).
    static let overheadByteCount = 32

    /// The position of the line's first byte. The dynamic table counts all bytes it has ever
    /// contained.
    let position: UInt32
    let nameByteCount: UInt32
    let valueByteCount: UInt32
    /// The recognized name, kept so that it need not be looked up again.
    let name: FieldName

    init(position: UInt32, nameByteCount: Int, valueByteCount: Int, name: FieldName) {
        self.position = position
        self.nameByteCount = UInt32(truncatingIfNeeded: nameByteCount)
        self.valueByteCount = UInt32(truncatingIfNeeded: valueByteCount)
        self.name = name
    }

    /// The length of the line in bytes.
    var lineByteCount: Int {
        Int(nameByteCount) &+ Int(valueByteCount) &+ Self.punctuationByteCount
    }
    /// The size of the entry (RFC 7541 §4.1).
    var tableByteCount: Int {
        Int(nameByteCount) &+ Int(valueByteCount) &+ Self.overheadByteCount
    }

    /// Returns the range of the name in bytes that contain the line from `start` on.
    func nameRange(at start: Int) -> Range<Int> { start..<start &+ Int(nameByteCount) }

    /// Returns the range of the value in the same bytes.
    func valueRange(at start: Int) -> Range<Int> {
        let valueStart = start &+ Int(nameByteCount) &+ 2
        return valueStart..<valueStart &+ Int(valueByteCount)
    }
}

/// Receives the parts of a JSON text in document order.
protocol JSONHandler {
    /// Whether parsing may stop, because nothing more is needed.
    var isFull: Bool { get }

    mutating func beginObject()
    mutating func endObject()
    mutating func beginArray()
    mutating func endArray()
    /// The name of the next member.
    mutating func name(_ token: JSONStringToken, in bytes: Span<UInt8>)
    mutating func string(_ token: JSONStringToken, in bytes: Span<UInt8>)
    /// A syntactically valid number; ASCII.
    mutating func number(_ range: Range<Int>, in bytes: Span<UInt8>)
    mutating func bool(_ value: Bool)
    mutating func null()
}

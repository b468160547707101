/// Receives the parts of a JSON text in the order in which they are written.
protocol JSONHandler {
    /// Whether reading may stop, because nothing more is wanted.
    var isFull: Bool { get }

    mutating func beginObject()
    mutating func endObject()
    mutating func beginArray()
    mutating func endArray()
    /// The name of the member whose value comes next.
    mutating func name(_ token: JSONStringToken, in octets: Span<UInt8>)
    mutating func string(_ token: JSONStringToken, in octets: Span<UInt8>)
    /// A number of valid grammar; ASCII.
    mutating func number(_ range: Range<Int>, in octets: Span<UInt8>)
    mutating func bool(_ value: Bool)
    mutating func null()
}

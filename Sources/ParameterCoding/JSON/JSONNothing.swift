/// Discards everything: used to check whether a text is JSON.
struct JSONNothing: JSONHandler {
    var isFull: Bool { false }
    mutating func beginObject() {}
    mutating func endObject() {}
    mutating func beginArray() {}
    mutating func endArray() {}
    mutating func name(_ token: JSONStringToken, in bytes: Span<UInt8>) {}
    mutating func string(_ token: JSONStringToken, in bytes: Span<UInt8>) {}
    mutating func number(_ range: Range<Int>, in bytes: Span<UInt8>) {}
    mutating func bool(_ value: Bool) {}
    mutating func null() {}
}

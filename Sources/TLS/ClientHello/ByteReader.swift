/// Reads numbers and vectors with length prefixes (RFC 8446 §3) from untrusted bytes: every read
/// returns nil if there are too few.
struct ByteReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func uint8() -> UInt8? {
        rest.popFirst()
    }

    mutating func uint16() -> UInt16? {
        guard let pair = bytes(2), let high = pair.first, let low = pair.last else { return nil }
        return UInt16(high) << 8 | UInt16(low)
    }

    mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    /// A vector with a length of one byte.
    mutating func vector8() -> ArraySlice<UInt8>? {
        uint8().flatMap { bytes(Int($0)) }
    }

    /// A vector with a length of two bytes.
    mutating func vector16() -> ArraySlice<UInt8>? {
        uint16().flatMap { bytes(Int($0)) }
    }
}

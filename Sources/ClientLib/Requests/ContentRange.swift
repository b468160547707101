/// The bytes that a 206 response contains, of a whole of known length (RFC 9110 §14.4).
struct ContentRange: Sendable, Hashable {
    /// The position of the first byte, counted from 0.
    let start: Int64
    /// The length of the whole in bytes.
    let totalByteCount: Int64
    /// The position after the last byte.
    let end: Int64

    /// Parses a Content-Range value, or returns nil if it names no byte range or an impossible one.
    init?(_ value: String) {
        guard value.prefix(6).lowercased() == "bytes " else { return nil }
        let halves = value.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2, let total = ContentRange.number(halves[1]) else { return nil }
        let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = ContentRange.number(ends[0]),
            let last = ContentRange.number(ends[1]), first <= last, last < total
        else { return nil }
        (start, end, totalByteCount) = (first, last + 1, total)
    }

    private static func number(_ text: Substring) -> Int64? {
        guard text.utf8.allSatisfy({ $0 &- 0x30 < 10 }) else { return nil }
        return Int64(text)
    }
}

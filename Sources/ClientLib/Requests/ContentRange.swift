/// Which bytes of a whole, whose length is known, a 206 holds (RFC 9110 §14.4).
struct ContentRange: Sendable, Hashable {
    /// The first byte, counted from 0.
    let start: Int64
    /// The length of the whole in bytes.
    let totalByteCount: Int64
    /// Behind the last byte.
    let end: Int64

    /// A Content-Range value; nil where it names no range of bytes, or none that there can be.
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

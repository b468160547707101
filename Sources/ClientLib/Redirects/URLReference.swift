internal import ProxydHTTPModel

/// A URI reference split at its delimiters (RFC 3986 §4.1, appendix B), without its fragment.
struct URLReference {
    /// The text before the first colon, or nil for a relative reference.
    let scheme: ArraySlice<UInt8>?
    /// The text between `//` and the path, or nil if there is none.
    let authority: ArraySlice<UInt8>?
    let path: ArraySlice<UInt8>
    /// The text after the first `?`, or nil if there is none.
    let query: ArraySlice<UInt8>?

    init(_ bytes: [UInt8]) {
        var rest = bytes.prefix { $0 != UInt8(ascii: "#") }
        let end = rest.firstIndex { ":/?".utf8.contains($0) } ?? rest.endIndex
        if end < rest.endIndex, rest[end] == UInt8(ascii: ":"),
            URLReference.isScheme(rest[..<end])
        {
            scheme = rest[..<end]
            rest = rest[(end + 1)...]
        } else {
            scheme = nil
        }
        if rest.starts(with: "//".utf8) {
            rest = rest.dropFirst(2)
            let end = rest.firstIndex { "/?".utf8.contains($0) } ?? rest.endIndex
            authority = rest[..<end]
            rest = rest[end...]
        } else {
            authority = nil
        }
        let mark = rest.firstIndex(of: UInt8(ascii: "?")) ?? rest.endIndex
        path = rest[..<mark]
        query = mark < rest.endIndex ? rest[(mark + 1)...] : nil
    }

    private static func isScheme(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let first = bytes.first, ASCII.lowercased(first) &- 0x61 < 26 else { return false }
        return bytes.allSatisfy {
            ASCII.lowercased($0) &- 0x61 < 26 || $0 &- 0x30 < 10 || "+-.".utf8.contains($0)
        }
    }
}

/// User names and passwords in URLs (RFC 3986 §3.2.1).
enum UserInfo {
    /// Replaces everything between each `//` that follows a colon and the last `@` before the next
    /// `/`, `?` or `#` with a placeholder; the same for `user:password@` at the start.
    static func redacted(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var shown: [UInt8] = []
        shown.reserveCapacity(text.count)
        var rest = text
        if let end = end(in: rest), rest[..<end].contains(UInt8(ascii: ":")) {
            shown += Redaction.placeholder.utf8
            rest = rest[end...]
        }
        while let mark = rest.firstRange(of: Array("://".utf8)) {
            shown += rest[..<mark.upperBound]
            rest = rest[mark.upperBound...]
            guard let end = end(in: rest) else { continue }
            shown += Redaction.placeholder.utf8
            rest = rest[end...]
        }
        return shown + rest
    }

    /// The last `@` of the authority at the start of a text, or nil if there is none.
    private static func end(in text: ArraySlice<UInt8>) -> Int? {
        text.prefix { !"/?#".utf8.contains($0) }.lastIndex(of: UInt8(ascii: "@"))
    }
}

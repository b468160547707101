internal import ProxydHTTPModel

/// How curl treats a request target that is part of a URL.
enum CurlTarget {
    /// Whether curl sends it unchanged, apart from dot segments and globs. curl would remove a
    /// fragment, reject white space and control characters, and lose the mark of an empty query.
    static func fitsURL(_ target: [UInt8]) -> Bool {
        guard target.first == UInt8(ascii: "/"), target.allSatisfy(isURLByte) else { return false }
        return target.firstIndex(of: UInt8(ascii: "?")) != target.count - 1
    }

    /// Whether curl would interpret it as a pattern of several URLs.
    static func hasGlob(_ bytes: some Sequence<UInt8>) -> Bool {
        bytes.contains { "[]{}".utf8.contains($0) }
    }

    /// Whether curl might interpret a segment as `.` or `..` and remove it.
    static func hasDotSegment(_ target: [UInt8]) -> Bool {
        let path = target.prefix { $0 != UInt8(ascii: "?") }
        return path.split(separator: UInt8(ascii: "/")).contains { segment in
            segment.first == UInt8(ascii: ".") || segment.starts(with: "%2e".utf8)
                || segment.starts(with: "%2E".utf8)
        }
    }

    private static func isURLByte(_ byte: UInt8) -> Bool {
        ASCII.lowercased(byte) &- 0x61 < 26 || byte &- 0x30 < 10
            || "-._~!$&'()*+,;=:@/?%[]{}|".utf8.contains(byte)
    }
}

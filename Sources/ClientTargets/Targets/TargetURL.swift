internal import ProxydHTTPModel
internal import ProxydParameterCoding

/// Appends a target's path to its base URL.
enum TargetURL {
    /// The base's path, one `/` and the path, followed by both queries. An invalid base is
    /// unchanged: sending to it fails.
    static func joined(_ base: RawURL, path text: String) -> RawURL {
        guard !text.isEmpty, !base.scheme.isEmpty else { return base }
        let bytes = Array(text.utf8)
        let mark = bytes.firstIndex(of: UInt8(ascii: "?")) ?? bytes.endIndex
        var origin = joined(Array(base.path), escaped(bytes[..<mark], in: pathBytes))
        if let query = base.query { origin += [UInt8(ascii: "?")] + query }
        let query = escaped(bytes[mark...].dropFirst(), in: queryBytes)
        origin = URLQuery.joined(origin, with: query)
        return RawURL(scheme: base.scheme, host: base.host, port: base.port, origin: origin)
    }

    private static func joined(_ base: [UInt8], _ path: [UInt8]) -> [UInt8] {
        guard let first = path.first else { return base }
        let slash = UInt8(ascii: "/")
        switch (base.last == slash, first == slash) {
        case (true, true): return base + path.dropFirst()
        case (false, false): return base + [slash] + path
        default: return base + path
        }
    }

    /// Percent-encodes characters that the grammar does not allow (RFC 3986 §3.3, §3.4), and a `%`
    /// that starts no escape.
    private static func escaped(_ bytes: ArraySlice<UInt8>, in allowed: Set<UInt8>) -> [UInt8] {
        let digits = Array("0123456789ABCDEF".utf8)
        var escaped: [UInt8] = []
        escaped.reserveCapacity(bytes.count)
        for (index, byte) in zip(bytes.indices, bytes) {
            let isEscape = byte == UInt8(ascii: "%") && isHexPair(bytes[(index + 1)...].prefix(2))
            if isEscape || allowed.contains(byte) {
                escaped.append(byte)
            } else {
                escaped += [
                    UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)],
                ]
            }
        }
        return escaped
    }

    private static func isHexPair(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.count == 2
            && bytes.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit && $0 < 0x80 }
    }

    private static let pathBytes = Set(
        ("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + "-._~!$&'()*+,;=:@/")
            .utf8)
    private static let queryBytes = pathBytes.union([UInt8(ascii: "?")])
}

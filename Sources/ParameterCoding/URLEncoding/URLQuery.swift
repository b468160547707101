/// The query of a URL that is stored as bytes.
public enum URLQuery {
    /// How the existing query is treated.
    public enum Existing: Sendable, Hashable {
        /// It stays unchanged, byte for byte.
        case asGiven
        /// Characters that the grammar does not allow in it (RFC 3986 §3.4), such as `[`, are
        /// escaped.
        case escaped
    }

    /// A URL with pairs inserted after those of its query and before its fragment.
    ///
    /// Nothing is added if there are no pairs, and no `&` if none is needed.
    public static func joined(
        _ url: [UInt8],
        with pairs: [UInt8]?,
        existing: Existing = .asGiven
    ) -> [UInt8] {
        guard let pairs, !pairs.isEmpty else { return url }
        let fragmentStart = url.firstIndex(of: UInt8(ascii: "#")) ?? url.endIndex
        let resource = url[..<fragmentStart]
        let queryStart = resource.firstIndex(of: UInt8(ascii: "?"))
        let query = queryStart.map { resource[($0 + 1)...] } ?? []
        var joined: [UInt8] = []
        joined.reserveCapacity(url.count + pairs.count + 2)
        joined += resource[..<(queryStart ?? fragmentStart)]
        joined.append(UInt8(ascii: "?"))
        joined += existing == .asGiven ? Array(query) : EscapeSet.rfc3986Query.encoded(Array(query))
        if let last = query.last, last != UInt8(ascii: "&") { joined.append(UInt8(ascii: "&")) }
        joined += pairs
        joined += url[fragmentStart...]
        return joined
    }
}

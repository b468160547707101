/// The query of a URL that is kept as its octets.
public enum URLQuery {
    /// What may be done to the query that is there already.
    public enum Existing: Sendable, Hashable {
        /// It stays as it is, octet for octet.
        case asGiven
        /// What the grammar does not allow in it (RFC 3986 §3.4) is escaped, such as `[`.
        case escaped
    }

    /// A URL with pairs behind those of its query and in front of its fragment.
    ///
    /// Nothing is added where there are no pairs, and no `&` where none is needed.
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

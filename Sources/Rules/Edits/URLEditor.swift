internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydParameterCoding

/// Edits a URL in its written form.
enum URLEditor {
    /// Returns the URL with one part changed, or nil if the result would not be a URL.
    static func apply(
        _ change: RuleEdit.Change, to target: RuleTarget, in url: RawURL
    ) -> RawURL? {
        switch target {
        case .queryPair(let name):
            var pairs = QueryDecoder().decode(Array(url.query ?? []))
            let before = pairs.bytes
            PairEditor.apply(change, to: name, in: &pairs)
            return pairs.bytes == before ? url : url.with(query: pairs.bytes)
        case .path:
            guard let path = changed(Array(url.path), change) else { return nil }
            let query = url.query.map { [UInt8(ascii: "?")] + $0 } ?? []
            return url.with(origin: path + query)
        case .query:
            return changed(Array(url.query ?? []), change).flatMap { url.with(query: $0) }
        case .url:
            return changed(Array(url.description.utf8), change).flatMap {
                try? RawURL.absolute($0, inPlaceOf: url)
            }
        default: return url
        }
    }

    private static func changed(_ bytes: [UInt8], _ change: RuleEdit.Change) -> [UInt8]? {
        switch change {
        case .set(let value): return Array(value.text.utf8)
        case .replace(let replacement, let countMax):
            switch replacement.replacing(
                in: bytes.span, timesMax: countMax, byteCountMax: RuleSet.valueByteCountMax)
            {
            case .unchanged: return bytes
            case .changed(let changed, _, _): return changed
            case .tooLarge: return nil
            }
        case .add, .remove: return bytes
        }
    }
}

extension RawURL {
    /// Parses an absolute URL. Without a path, it means the server as a whole if the URL that it
    /// replaces did (RFC 9112 §3.2.4).
    static func absolute(
        _ text: [UInt8], inPlaceOf former: RawURL
    ) throws(WireError) -> RawURL {
        let url = try EffectiveTarget.absoluteURL(text.span)
        let hasPath = text.count { $0 == UInt8(ascii: "/") } > 2
        guard former.origin == [UInt8(ascii: "*")], !hasPath, url.query == nil else { return url }
        return RawURL(scheme: url.scheme, host: url.host, port: url.port, origin: former.origin)
    }

    /// Returns the URL with another query, and without `?` if the query is empty.
    fileprivate func with(query: [UInt8]) -> RawURL? {
        with(origin: Array(path) + (query.isEmpty ? [] : [UInt8(ascii: "?")] + query))
    }

    /// Returns nil if the result would not be a valid request target.
    fileprivate func with(origin: [UInt8]) -> RawURL? {
        guard origin.first == UInt8(ascii: "/"), RuleTarget.isTarget(origin) else { return nil }
        return RawURL(scheme: scheme, host: host, port: port, origin: origin)
    }
}

internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// Resolves a Location against the request's URL (RFC 3986 §5.2, RFC 9110 §10.2.2) as bytes:
/// nothing is decoded, and only the reference's path is normalised.
enum RedirectTarget {
    /// - Parameter takesWebSocket: whether `ws` and `wss` are treated as `http` and `https`.
    static func resolve(
        _ location: [UInt8], against base: RawURL, takesWebSocket: Bool = false
    ) throws(RedirectRefusal) -> RawURL {
        let bytes = try escaped(location)
        let reference = URLReference(bytes)
        let scheme = try scheme(of: reference, takesWebSocket) ?? base.scheme
        guard let authority = reference.authority else {
            // A scheme without an authority is not an http URL.
            guard reference.scheme == nil else { throw .badLocation }
            return RawURL(
                scheme: base.scheme, host: base.host, port: base.port,
                origin: origin(of: reference, base: base))
        }
        // A host with escapes, including those added here, would never resolve.
        guard !authority.contains(UInt8(ascii: "%")) else { throw .badLocation }
        var absolute = Array("\(scheme)://".utf8) + authority
        absolute += DotSegments.removed(from: Array(reference.path))
        if let query = reference.query { absolute += [UInt8(ascii: "?")] + query }
        return try url(absolute)
    }

    /// The path and query of a reference without an authority.
    private static func origin(of reference: URLReference, base: RawURL) -> [UInt8] {
        let basePath = base.path.first == UInt8(ascii: "/") ? base.path : [UInt8(ascii: "/")][...]
        var query = reference.query
        var path: [UInt8]
        if reference.path.isEmpty {
            path = Array(basePath)
            if query == nil { query = base.query }
        } else if reference.path.first == UInt8(ascii: "/") {
            path = DotSegments.removed(from: Array(reference.path))
        } else {
            let slash = basePath.lastIndex(of: UInt8(ascii: "/")) ?? basePath.startIndex
            path = DotSegments.removed(from: Array(basePath[...slash]) + reference.path)
        }
        if let query { path += [UInt8(ascii: "?")] + query }
        return path
    }

    private static func scheme(
        of reference: URLReference, _ takesWebSocket: Bool
    ) throws(RedirectRefusal) -> String? {
        guard let scheme = reference.scheme else { return nil }
        var name = ASCII.text(scheme.map(ASCII.lowercased))
        if takesWebSocket, name == "ws" || name == "wss" { name = name == "ws" ? "http" : "https" }
        guard name == "http" || name == "https" else { throw .unsupportedScheme }
        return name
    }

    /// Escapes what servers wrongly leave unescaped: spaces and non-ASCII bytes.
    private static func escaped(_ bytes: [UInt8]) throws(RedirectRefusal) -> [UInt8] {
        let digits = Array("0123456789ABCDEF".utf8)
        var escaped: [UInt8] = []
        for byte in bytes {
            guard byte >= 0x20, byte != 0x7F else { throw .badLocation }
            if byte == 0x20 || byte >= 0x80 {
                escaped += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            } else {
                escaped.append(byte)
            }
        }
        return escaped
    }

    /// Parses an absolute URL by the grammar of request targets.
    private static func url(_ bytes: [UInt8]) throws(RedirectRefusal) -> RawURL {
        let head = RequestHead(
            method: .get, target: bytes, version: .http10, fields: HeaderFields())
        do {
            if case .forward(let url) = try EffectiveTarget.resolve(head, via: .proxy) {
                return url
            }
        } catch {
            throw error.kind == .userInfo ? .userInfo : .badLocation
        }
        throw .badLocation
    }
}

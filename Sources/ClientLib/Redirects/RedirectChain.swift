public import ProxydHTTPModel
internal import ProxydHTTPWire

/// The redirects of one request so far, and the decision about the next response (RFC 9110 §15.4).
public struct RedirectChain: Sendable {
    private struct Visit: Sendable, Hashable {
        let method: HTTPMethod
        let url: RawURL
    }

    private let policy: RedirectPolicy
    private var visits: Set<Visit> = []
    /// Whether `ws` and `wss` in a Location are treated as `http` and `https`.
    var takesWebSocket = false
    public private(set) var count = 0

    public init(policy: RedirectPolicy = RedirectPolicy()) { self.policy = policy }

    /// Decides what follows a response. Each request to follow is counted, even if a handler then
    /// changes or drops it.
    public mutating func next(
        after request: RedirectRequest, response head: ResponseHead
    ) -> RedirectDecision {
        guard let status = RedirectStatus(rawValue: head.status) else { return .deliver }
        do throws(RedirectRefusal) {
            guard let location = try location(of: head) else { return .deliver }
            let url = try RedirectTarget.resolve(
                location, against: request.url, takesWebSocket: takesWebSocket)
            return .follow(try follow(request, to: url, status: status, head: head))
        } catch {
            return .refuse(error)
        }
    }

    private func location(of head: ResponseHead) throws(RedirectRefusal) -> [UInt8]? {
        let name = Array("location".utf8)
        let values = head.fields.lines.filter { line in
            ASCII.equalsIgnoringCase(head.fields.bytes.span.extracting(line.nameRange), name.span)
        }.map { Array(head.fields.bytes[$0.valueRange]) }
        guard Set(values).count <= 1 else { throw .badLocation }
        return values.first
    }

    private mutating func follow(
        _ request: RedirectRequest, to url: RawURL, status: RedirectStatus, head: ResponseHead
    ) throws(RedirectRefusal) -> RedirectRequest {
        let leavesTLS = request.url.scheme == "https" && url.scheme == "http"
        guard policy.allowsLeavingTLS || !leavesTLS else { throw .leavesTLS }
        guard count < policy.countMax else { throw .tooMany }
        var next = request
        next.url = url
        if status.becomesGet(request.method, keepsPost: policy.keepsPost) {
            next.method = .get
            next.keepsBody = false
            next.fields.removeAll(in: RedirectChain.contentFieldNames)
        }
        if !url.isSameOrigin(as: request.url) {
            next.fields.removeAll(in: policy.originFieldNames.union(["host"]))
        }
        if leavesTLS { next.fields.removeAll(named: "referer") }
        // A page that sets a cookie and redirects to itself is not a loop: the next response may
        // differ.
        if head.fields.first(.setCookie) != nil { visits.removeAll() }
        visits.insert(Visit(method: request.method, url: request.url))
        guard visits.insert(Visit(method: next.method, url: url)).inserted else { throw .loop }
        count += 1
        return next
    }

    /// Fields that describe the body, and are removed with it.
    private static let contentFieldNames: Set<String> = [
        "content-digest", "content-encoding", "content-language", "content-length",
        "content-location", "content-md5", "content-range", "content-type", "digest", "expect",
        "last-modified", "repr-digest", "trailer", "transfer-encoding",
    ]
}

extension HeaderFields {
    /// Removes every line whose name, in lower case, is in the set.
    fileprivate mutating func removeAll(in names: Set<String>) {
        for name in names { removeAll(named: name) }
    }
}

/// What to do with a response.
public enum RedirectDecision: Sendable, Hashable {
    /// The response is not a redirect, or not one to follow: it is the final response.
    case deliver
    case follow(RedirectRequest)
    case refuse(RedirectRefusal)
}

/// The statuses that redirect to another URL (RFC 9110 §15.4). Not followed: 300 offers a choice,
/// 304 concerns caches, and 305 and 306 are obsolete.
enum RedirectStatus: Int {
    case movedPermanently = 301
    case found = 302
    case seeOther = 303
    case temporaryRedirect = 307
    case permanentRedirect = 308

    /// Whether the next request is a GET without a body.
    func becomesGet(_ method: HTTPMethod, keepsPost: Bool) -> Bool {
        switch self {
        case .movedPermanently, .found: method == .post && !keepsPost
        case .seeOther: method != .get && method != .head
        case .temporaryRedirect, .permanentRedirect: false
        }
    }
}

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
        var escaped: [UInt8] = []
        for byte in bytes {
            guard byte >= 0x20, byte != 0x7F else { throw .badLocation }
            if byte == 0x20 || byte >= 0x80 {
                PercentEncoding.append(byte, to: &escaped)
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

/// Removes `.` and `..` from a path (RFC 3986 §5.2.4).
enum DotSegments {
    /// The path without dot segments; `%2e` does not count as a dot.
    static func removed(from path: [UInt8]) -> [UInt8] {
        let isAbsolute = path.first == UInt8(ascii: "/")
        let segments = path.dropFirst(isAbsolute ? 1 : 0)
            .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        var kept: [ArraySlice<UInt8>] = []
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            if segment.elementsEqual(".".utf8) {
                if isLast { kept.append([]) }
            } else if segment.elementsEqual("..".utf8) {
                _ = kept.popLast()
                if isLast { kept.append([]) }
            } else {
                kept.append(segment)
            }
        }
        let joined = Array(kept.joined(separator: "/".utf8))
        return isAbsolute ? [UInt8(ascii: "/")] + joined : joined
    }
}

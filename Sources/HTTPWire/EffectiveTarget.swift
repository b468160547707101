public import ProxydHTTPModel

/// Determines where a request goes, from its target, its Host line and the connection on which it
/// was received (RFC 9112 §3.2, §3.3). A fragment is not meant for servers and is ignored (RFC 9110
/// §7.1).
public enum EffectiveTarget {
    /// Resolves a request's target. Throws the error for a 400 response if an HTTP/1.1 request has
    /// no Host line or two of them, if the method does not allow the form of the target, or if the
    /// authority is not valid.
    public static func resolve(
        _ head: RequestHead, via receiver: Receiver
    ) throws(WireError) -> RequestDestination {
        if head.version >= .http2 { return try resolveHTTP2(head, via: receiver) }
        try checkHost(head)
        let written = head.bytes.span.extracting(head.targetRange)
        if head.method == .connect { return try tunnel(written, via: receiver) }
        let fragmentStart = ByteScan.firstIndex(of: UInt8(ascii: "#"), in: written, from: 0)
        let target = written.extracting(0..<fragmentStart)
        guard target.count > 0 else { throw failure(.badRequestTarget) }
        switch target[0] {
        case UInt8(ascii: "/"): return originForm(target, of: head, via: receiver)
        case UInt8(ascii: "*") where target.count == 1:
            guard head.method == .options else { throw failure(.badRequestTarget) }
            return originForm(target, of: head, via: receiver)
        default:
            let url = try absoluteForm(target, isOptions: head.method == .options)
            // Before anything is copied: most requests are to a proxy.
            if case .proxy = receiver { return .forward(url) }
            return try forward(url, via: receiver)
        }
    }

    /// Resolves an HTTP/2 target, whose scheme, authority and path are separate (RFC 9113 §8.3.1).
    /// A request without `:authority` has a Host line. In a tunnel, checking either of them is left
    /// to the server, as it is for Host in HTTP/1.
    private static func resolveHTTP2(
        _ head: RequestHead, via receiver: Receiver
    ) throws(WireError) -> RequestDestination {
        if head.isClassicConnect { return try tunnel(head.target.span, via: receiver) }
        guard let scheme = head.pseudoField(":scheme"),
            let named = head.pseudoField(":authority") ?? head.fields.first(.host)
        else { throw failure(.badPseudoField) }
        let bytes = head.bytes.span
        let authority = try Authority(bytes.extracting(named.valueRange))
        let written = bytes.extracting(head.targetRange)
        let end = ByteScan.firstIndex(of: UInt8(ascii: "#"), in: written, from: 0)
        let origin = written.extracting(0..<end).array
        let isSecure = ASCII.equalsIgnoringCase(bytes.extracting(scheme.valueRange), "https")
        let name = isSecure ? "https" : "http"
        switch receiver {
        case .origin(let scheme, let host, let port):
            guard scheme == name else { throw failure(.misdirected) }
            return .forward(RawURL(scheme: scheme, host: host, port: port, origin: origin))
        case .address(let scheme, _, let port):
            guard scheme == name else { throw failure(.misdirected) }
            return .forward(
                RawURL(scheme: scheme, host: authority.host, port: port, origin: origin))
        case .server(let server): return .forward(server.url(origin: origin.span))
        case .proxy:
            return .forward(
                RawURL(
                    scheme: name, host: authority.host,
                    port: authority.port ?? RawURL.defaultPort(scheme: name), origin: origin))
        }
    }

    /// Parses an absolute http or https URL without a fragment (RFC 9112 §3.2.2); for URLs in
    /// configurations.
    public static func absoluteURL(_ text: Span<UInt8>) throws(WireError) -> RawURL {
        guard FieldValidator.isRequestTarget(text),
            ByteScan.firstIndex(of: UInt8(ascii: "#"), in: text, from: 0) == text.count
        else { throw failure(.badRequestTarget) }
        return try absoluteForm(text, isOptions: false)
    }

    /// Checks that there is exactly one valid Host line; HTTP/1.0 requests may have none (RFC 9112
    /// §3.2).
    private static func checkHost(_ head: RequestHead) throws(WireError) {
        var count = 0
        for line in head.fields.lines where line.name == .host {
            count &+= 1
            guard count == 1 else { throw failure(.badHost) }
            try Authority.check(head.fields.bytes.span.extracting(line.valueRange))
        }
        guard count == 1 || head.version < .http11 else { throw failure(.badHost) }
    }

    private static func tunnel(
        _ target: Span<UInt8>, via receiver: Receiver
    ) throws(WireError) -> RequestDestination {
        switch receiver {
        case .proxy: break
        case .server: throw failure(.notAProxy)
        case .origin, .address: throw failure(.badRequestTarget)
        }
        let authority = try Authority(target)
        guard let port = authority.port else { throw failure(.badPort) }
        return .tunnel(host: authority.host, port: port)
    }

    private static func originForm(
        _ target: Span<UInt8>, of head: RequestHead, via receiver: Receiver
    ) -> RequestDestination {
        let origin = target.array
        switch receiver {
        case .proxy: return .proxyItself(path: ASCII.text(origin[...]))
        case .server(let server): return .forward(server.url(origin: target))
        case .origin(let scheme, let host, let port):
            return .forward(RawURL(scheme: scheme, host: host, port: port, origin: origin))
        case .address(let scheme, let address, let port):
            let host = hostField(of: head) ?? address
            return .forward(RawURL(scheme: scheme, host: host, port: port, origin: origin))
        }
    }

    /// The host in the Host line, without its port; nil if there is none.
    private static func hostField(of head: RequestHead) -> String? {
        guard let line = head.fields.first(.host), line.valueRange.count > 0 else { return nil }
        return (try? Authority(head.fields.bytes.span.extracting(line.valueRange)))?.host
    }

    private static func forward(
        _ url: RawURL, via receiver: Receiver
    ) throws(WireError) -> RequestDestination {
        switch receiver {
        case .proxy: return .forward(url)
        case .origin(let scheme, let host, let port):
            guard HostName.areSame(url.host, host), url.scheme == scheme, url.port == port else {
                throw failure(.misdirected)
            }
            return .forward(url)
        case .address(let scheme, _, let port):
            guard url.scheme == scheme, url.port == port else { throw failure(.misdirected) }
            return .forward(url)
        case .server(let server):
            guard server.isNamed(url.host) else { throw failure(.notAProxy) }
            return .forward(server.url(origin: url.origin.span))
        }
    }

    /// Parses `scheme://authority[path][?query]` and keeps it as sent; an empty path becomes `/`,
    /// or `*` for OPTIONS without a query (RFC 9112 §3.2.1, §3.2.4).
    private static func absoluteForm(
        _ target: Span<UInt8>, isOptions: Bool
    ) throws(WireError) -> RawURL {
        let (scheme, start) = try self.scheme(target)
        var end = start
        while end < target.count, !isAuthorityEnd(target[end]) { end &+= 1 }
        let authority = try Authority(target.extracting(start..<end))
        var origin: [UInt8] = []
        if end == target.count {
            origin.append(isOptions ? UInt8(ascii: "*") : UInt8(ascii: "/"))
        } else {
            origin.reserveCapacity(target.count &- end &+ 1)
            if target[end] != UInt8(ascii: "/") { origin.append(UInt8(ascii: "/")) }
            target.extracting(end..<target.count).withUnsafeBufferPointer {
                origin.append(contentsOf: $0)
            }
        }
        return RawURL(
            scheme: scheme, host: authority.host,
            port: authority.port ?? RawURL.defaultPort(scheme: scheme), origin: origin
        )
    }

    /// Returns the scheme and the index where the authority starts.
    private static func scheme(_ target: Span<UInt8>) throws(WireError) -> (String, Int) {
        var colon = 0
        while colon < target.count, target[colon] != UInt8(ascii: ":") { colon &+= 1 }
        guard colon &+ 2 < target.count, target[colon &+ 1] == UInt8(ascii: "/"),
            target[colon &+ 2] == UInt8(ascii: "/")
        else { throw failure(.badRequestTarget) }
        let name = target.extracting(0..<colon)
        if ASCII.equalsIgnoringCase(name, "http") { return ("http", colon &+ 3) }
        if ASCII.equalsIgnoringCase(name, "https") { return ("https", colon &+ 3) }
        throw failure(.unsupportedScheme)
    }

    private static func isAuthorityEnd(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?")
    }

    private static func failure(_ kind: WireError.Kind) -> WireError {
        WireError(kind, in: .request)
    }

    /// Returns the URL that a request in origin-form has on the server named in its Host line, with
    /// the scheme http (RFC 9112 §3.3), or nil if it names none.
    public static func urlOfHost(_ head: RequestHead) -> RawURL? {
        guard let line = head.fields.first(.host), line.valueRange.count > 0,
            let authority = try? Authority(head.fields.bytes.span.extracting(line.valueRange))
        else { return nil }
        let target = head.bytes.span.extracting(head.targetRange)
        let end = ByteScan.firstIndex(of: UInt8(ascii: "#"), in: target, from: 0)
        let origin = target.extracting(0..<end).array
        return RawURL(
            scheme: "http", host: authority.host,
            port: authority.port ?? RawURL.defaultPort(scheme: "http"), origin: origin)
    }
}

/// The recipient of a request, which determines the forms its target may have (RFC 9112 §3.2).
public enum Receiver: Sendable, Hashable {
    /// The proxy: absolute-form, authority-form for CONNECT, origin-form for the proxy's own pages.
    case proxy
    /// An origin reached through an intercepted tunnel: origin-form, or absolute-form that names
    /// this origin. `host` has no brackets.
    case origin(scheme: String, host: String, port: UInt16)
    /// An origin whose address is all that is known, because the client has not named it: the host
    /// is the one that the request names, and the address without a name. The port is that of the
    /// connection.
    case address(scheme: String, host: String, port: UInt16)
    /// A server whose place the proxy takes: origin-form, or absolute-form with one of the names.
    case server(ReplacedServer)
}

public enum RequestDestination: Sendable, Hashable {
    case forward(RawURL)
    /// CONNECT: a tunnel to a host (an IPv6 literal without brackets) and port.
    case tunnel(host: String, port: UInt16)
    /// To the proxy's own pages: path and query, or `*`.
    case proxyItself(path: String)
}

extension RawURL {
    /// Reads an absolute http or https URL that a user typed, without its fragment; its bytes are
    /// kept. Returns nil if it is another form of target. Throws if it is malformed.
    public init?(typed text: String) throws(WireError) {
        let target = text.prefix { $0 != "#" }
        let head = "GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n"
        let parsed = try HeadParser.parseRequestHead(Array(head.utf8))
        // A text with line ends would be a target and more.
        guard parsed.target.elementsEqual(target.utf8),
            case .forward(let url) = try EffectiveTarget.resolve(parsed, via: .proxy)
        else { return nil }
        self = url
    }
}

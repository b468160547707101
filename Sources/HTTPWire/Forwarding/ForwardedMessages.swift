public import ProxydHTTPModel

/// A request in the form in which it is forwarded to a server over any HTTP version (RFC 9110
/// §7.6).
///
/// All lines of `head` are forwarded byte for byte and in place, except where `action(of:)` decides
/// otherwise. `HTTP1HeadWriter` writes it as text.
public struct ForwardedRequest: Sendable {
    /// The head whose method and lines are forwarded: as received, or changed.
    public var head: RequestHead
    /// The URL that determines the server, the target and the Host field.
    public var url: RawURL
    public var body: BodyLength
    public var options: Options

    /// What forwarding adds or leaves out in addition to the requirements of RFC 9110 §7.6.
    public struct Options: Sendable, Hashable {
        /// The proxy's name in Via (RFC 9110 §7.6.3); nil adds no Via.
        public var viaPseudonym: String?
        /// The new value of Max-Forwards if the request has one (RFC 9110 §7.6.2); nil keeps it. It
        /// is never added.
        public var maxForwards: UInt64?
        /// Whether to send `Connection: close`, because this connection will not be reused.
        public var closesConnection = false
        /// Whether Host is generated from the URL even if the client's target does not require it.
        public var regeneratesHost = false
        /// Whether the client's Host is kept even if an absolute target names another host, which
        /// RFC 9112 §3.2.2 does not allow a proxy to do.
        public var keepsHost = false
        /// Whether an offered upgrade (other than h2c) is forwarded to the server.
        public var allowsUpgrade = true
        /// Whether the client was already asked to send its body: `Expect: 100-continue` is not
        /// forwarded then (RFC 9110 §10.1.1).
        public var isExpectationMet = false
        /// Whether the head is sent byte for byte as it is, because it was made for this
        /// connection.
        public var isVerbatim = false
        /// The Sec-WebSocket-Key with which an extended CONNECT is forwarded as an HTTP/1.1 Upgrade
        /// (RFC 6455 §4.1); nil if no WebSocket is requested.
        public var webSocketKey: String?
        /// What a head for an HTTP proxy needs; nil if it is for the server itself.
        public var proxied: ProxiedForm?
        /// Whether the head or the URL was changed, so that what is sent differs from what arrived.
        public var isChanged = false

        /// Whether a secret was inserted: what the server gets is not recorded then.
        public var isSecret = false

        public init() {}
    }

    /// What a request for an HTTP proxy has in addition: its target is in absolute-form (RFC 9112
    /// §3.2.2).
    public struct ProxiedForm: Sendable, Hashable {
        /// The value of Proxy-Authorization; nil for none.
        public var authorization: [UInt8]?
        /// How many proxies of our kind have forwarded it, including this one.
        public var hopCount: Int

        public init(authorization: [UInt8]?, hopCount: Int) {
            self.authorization = authorization
            self.hopCount = hopCount
        }
    }

    /// The target in absolute-form. The asterisk-form becomes the URL without a path (RFC 9112
    /// §3.2.4).
    public var absoluteTarget: [UInt8] {
        let server = Array("\(url.scheme)://\(url.authority)".utf8)
        return url.origin == [UInt8(ascii: "*")] ? server : server + url.origin
    }

    /// Creates a request that came with `head`, to be sent to `url`. The bytes after an extended
    /// CONNECT are not a body, and its stream does not end with the head.
    public init(
        head: consuming RequestHead, url: consuming RawURL, body: BodyLength,
        options: consuming Options = Options()
    ) {
        self.body = head.isExtendedConnect ? .none : body
        self.head = head
        self.url = url
        self.options = options
    }

    /// Creates a request with a head that is already written for `url`: on a connection of the same
    /// HTTP version it is sent as it is.
    public init(verbatim head: consuming RequestHead, url: consuming RawURL, body: BodyLength) {
        self.init(head: head, url: url, body: body)
        options.isVerbatim = true
    }

    /// Creates a request with a head that is already written in HTTP/1.1 syntax, including the
    /// empty line. It can only be sent over HTTP/1.1.
    public init(text: [UInt8], method: HTTPMethod, body: BodyLength) {
        head = RequestHead(
            bytes: text, method: method, targetRange: 0..<0, version: .http11,
            fields: HeaderFields())
        url = RawURL(scheme: "", host: "", port: 0, origin: [])
        self.body = body
        options = Options()
        options.isVerbatim = true
    }
}

/// How each line of a forwarded request is handled, decided once for all HTTP versions.
struct RequestLineActions {
    enum Action {
        case kept
        /// It is meant for the client's connection only, and is dropped.
        case dropped
        /// It is the Host line; generated again if the target requires it.
        case host
        /// It is a framing field; generated again.
        case framing
        /// It is the Connection line; generated again.
        case connection
        /// It is the TE line, which says whether trailers are accepted.
        case te
        case upgrade
        case maxForwards(UInt64)
        /// It is dropped although it was meant for the server.
        case lost
    }

    /// The HTTP version in which the request arrived.
    private let version: HTTPVersion
    private let maxForwards: UInt64?
    private let dropsExpectation: Bool
    private let received: ConnectionOptions
    /// Whether an upgrade may be offered to the server.
    let offersUpgrade: Bool
    /// Whether the client accepts trailers.
    let takesTrailers: Bool

    init(_ request: borrowing ForwardedRequest) {
        version = request.head.version
        maxForwards = request.options.maxForwards
        // HTTP/1.0 does not have 100-continue (RFC 9110 §10.1.1), and requests are forwarded as
        // 1.1.
        dropsExpectation = request.options.isExpectationMet || version < .http11
        received = ConnectionOptions(request.head.fields)
        offersUpgrade =
            received.upgrades && request.options.allowsUpgrade && version >= .http11
            && UpgradeOffer.hasAllowed(request.head.fields)
        // HTTP/2 has no Connection field that could list TE (RFC 9113 §8.2.2). A verbatim head is
        // meant for the server as it is.
        takesTrailers =
            (received.nominatesTE || version >= .http2 || request.options.isVerbatim)
            && RequestLineActions.hasTrailersMember(request.head.fields)
    }

    private static func hasTrailersMember(_ fields: borrowing HeaderFields) -> Bool {
        for line in fields.lines where line.name == .te {
            if fields.hasMember("trailers", in: line) { return true }
        }
        return false
    }

    func action(of line: HeaderFields.Line, among fields: borrowing HeaderFields) -> Action {
        switch line.name {
        case .host: return .host
        case .contentLength, .transferEncoding: return .framing
        case .connection: return .connection
        case .te: return .te
        case .upgrade: return .upgrade
        case .proxyConnection, .keepAlive, .proxyAuthorization, .http2Settings: return .dropped
        case .maxForwards:
            if let maxForwards { return .maxForwards(maxForwards) }
        case .expect where dropsExpectation:
            if fields.hasMember("100-continue", in: line) { return .lost }
        case .other where HopCount.isField(line, of: fields): return .dropped
        default: break
        }
        return received.nominates(line, of: fields) ? .dropped : .kept
    }
}

/// A response in the form in which it is forwarded to a client over any HTTP version (RFC 9110
/// §7.6).
///
/// All lines of `head` are forwarded byte for byte and in place, except connection and framing
/// fields. `HTTP1HeadWriter` writes it as text.
public struct ForwardedResponse: Sendable {
    /// The head whose status and lines are forwarded: as received, or changed.
    public var head: ResponseHead
    public var body: BodyLength
    public var options: Options

    /// What forwarding adds in addition to the requirements of RFC 9110 §7.6.
    public struct Options: Sendable, Hashable {
        /// The proxy's name in Via (RFC 9110 §7.6.3); nil adds no Via.
        public var viaPseudonym: String?
        /// The value of Date if the server sent none (RFC 9110 §6.6.1); nil adds no Date.
        public var date: String?

        /// Whether a secret was inserted: what the client gets is not recorded then.
        public var isSecret = false

        public init() {}
    }

    public init(
        head: consuming ResponseHead, body: BodyLength, options: consuming Options = Options()
    ) {
        self.head = head
        self.body = body
        self.options = options
    }
}

/// How a forwarded head differs from the one that arrived.
public struct ForwardingNotes: OptionSet, Sendable, Hashable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// It differs in more than framing, connection fields, the version and the form of the target:
    /// another Host, a fragment that was dropped, or an added line.
    public static let differs = ForwardingNotes(rawValue: 1)
    /// It contains the client's Host although the absolute target names another host.
    public static let keepsForeignHost = ForwardingNotes(rawValue: 2)
}

/// How many proxies of our kind a request has passed through, as one proxyd tells the next. The
/// field is nominated by Connection (RFC 9110 §7.6.1), so that no proxy forwards it; without `Via`,
/// it is what breaks a loop of proxies.
public enum HopCount {
    public static let fieldName = "Proxyd-Hops"
    /// More proxies than a real chain has.
    public static let max = 8

    /// Whether a line is the field. It is never forwarded, even if Connection does not nominate it:
    /// no server should learn how many proxies there are.
    static func isField(_ line: HeaderFields.Line, of fields: borrowing HeaderFields) -> Bool {
        line.nameRange.count == fieldName.utf8.count
            && ASCII.equalsIgnoringCase(fields.bytes.span.extracting(line.nameRange), "proxyd-hops")
    }

    /// The number in a request from a client; 0 without one. Text that is not a small number counts
    /// as too many.
    public static func received(_ fields: borrowing HeaderFields) -> Int {
        guard let text = fields[fieldName] else { return 0 }
        return Int(UInt8(text) ?? .max)
    }
}

public import ProxydHTTPModel

/// A request as it goes on to a server, whatever version is spoken there (RFC 9110 §7.6).
///
/// All lines of `head` go on byte for byte and in their places, but for those that `fate(of:)`
/// says otherwise of. `HTTP1HeadWriter` writes it as text.
public struct ForwardedRequest: Sendable {
    /// The head whose method and lines go on: as it came, or as it was changed.
    public var head: RequestHead
    /// Where it goes, and what its target and Host say.
    public var url: RawURL
    /// How its body ends.
    public var body: BodyLength
    /// What is added or left out.
    public var options: Options

    /// What forwarding adds or leaves out beyond what RFC 9110 §7.6 asks.
    public struct Options: Sendable, Hashable {
        /// The name we give ourselves in Via (RFC 9110 §7.6.3); nil adds no Via.
        public var viaPseudonym: String?
        /// What replaces the value of Max-Forwards, where the request has one (RFC 9110 §7.6.2);
        /// nil leaves it alone. None is ever added.
        public var maxForwards: UInt64?
        /// Writes `Connection: close` to the server: this connection will not be used again.
        public var closesConnection = false
        /// Makes the Host line anew from the URL even where the client's target does not ask for
        /// it.
        public var regeneratesHost = false
        /// Leaves the client's Host line alone even where an absolute target names another host,
        /// which RFC 9112 §3.2.2 does not let a proxy do.
        public var keepsHost = false
        /// Whether an offered upgrade (but h2c) goes on to the server.
        public var allowsUpgrade = true
        /// Whether the client was told already to send its body: `Expect: 100-continue` does not
        /// go on (RFC 9110 §10.1.1).
        public var isExpectationMet = false
        /// Whether the head is sent byte for byte as it is: it was made for this connection.
        public var isVerbatim = false
        /// The Sec-WebSocket-Key with which an extended CONNECT goes on as an Upgrade of HTTP/1.1
        /// (RFC 6455 §4.1); nil where no WebSocket is asked for.
        public var webSocketKey: String?
        /// Whether something changed the head or the URL after they came: what is sent differs.
        public var isChanged = false

        /// Whether something was put in that no one may read later: what the server gets is not
        /// recorded.
        public var isSecret = false

        /// The defaults: no Via, upgrades allowed.
        public init() {}
    }

    /// A request that came with `head`, to be sent to `url`. What follows an extended CONNECT is no
    /// body, and nothing ends with its head.
    public init(
        head: consuming RequestHead, url: consuming RawURL, body: BodyLength,
        options: consuming Options = Options()
    ) {
        self.body = head.isExtendedConnect ? .none : body
        self.head = head
        self.url = url
        self.options = options
    }

    /// A request whose head is written already, for `url`: over a connection of its own version it
    /// goes as it is.
    public init(verbatim head: consuming RequestHead, url: consuming RawURL, body: BodyLength) {
        self.init(head: head, url: url, body: body)
        options.isVerbatim = true
    }

    /// A request whose head is written already, as HTTP/1.1 has it, the empty line included. It can
    /// go over HTTP/1.1 only.
    public init(text: [UInt8], method: HTTPMethod, body: BodyLength) {
        head = RequestHead(
            octets: text, method: method, targetRange: 0..<0, version: .http11,
            fields: HeaderFields())
        url = RawURL(scheme: "", host: "", port: 0, origin: [])
        self.body = body
        options = Options()
        options.isVerbatim = true
    }
}

/// What becomes of the lines of a forwarded request, decided once for all versions.
struct RequestLineFates {
    /// One line's fate.
    enum Fate {
        /// It goes on as it is.
        case kept
        /// It is for the client's connection only.
        case dropped
        /// It names the server; made anew where the target asks for it.
        case host
        /// It says where the body ends; made anew.
        case framing
        /// It speaks of the connection; made anew.
        case connection
        /// It says whether trailers are taken.
        case te
        /// It offers protocols.
        case upgrade
        /// It gets this number.
        case maxForwards(UInt64)
        /// It is dropped although it was meant for the server.
        case lost
    }

    /// The version the request came in.
    private let version: HTTPVersion
    private let maxForwards: UInt64?
    private let dropsExpectation: Bool
    private let received: ConnectionOptions
    /// Whether an upgrade may be offered to the server.
    let offersUpgrade: Bool
    /// Whether the client takes trailers.
    let takesTrailers: Bool

    init(_ request: borrowing ForwardedRequest) {
        version = request.head.version
        maxForwards = request.options.maxForwards
        // HTTP/1.0 does not know 100-continue (RFC 9110 §10.1.1), and we forward as 1.1.
        dropsExpectation = request.options.isExpectationMet || version < .http11
        received = ConnectionOptions(request.head.fields)
        offersUpgrade =
            received.upgrades && request.options.allowsUpgrade && version >= .http11
            && UpgradeOffer.hasAllowed(request.head.fields)
        // HTTP/2 has no Connection line that would name TE (RFC 9113 §8.2.2). What we say ourselves
        // is meant for the server.
        takesTrailers =
            (received.nominatesTE || version >= .http2 || request.options.isVerbatim)
            && RequestLineFates.hasTrailersMember(request.head.fields)
    }

    private static func hasTrailersMember(_ fields: borrowing HeaderFields) -> Bool {
        for line in fields.lines where line.name == .te {
            if fields.hasMember("trailers", in: line) { return true }
        }
        return false
    }

    func fate(of line: HeaderFields.Line, among fields: borrowing HeaderFields) -> Fate {
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
        default: break
        }
        return received.nominates(line, of: fields) ? .dropped : .kept
    }
}

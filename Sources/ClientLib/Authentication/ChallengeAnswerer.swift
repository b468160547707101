public import ProxydHTTPModel
internal import ProxydTransport

/// The servers and proxies that a session has authenticated with, and how it answers their
/// challenges. This is a value type: credentials and random numbers are passed in as parameters.
struct ChallengeAnswerer: Sendable {
    private enum Proof: Sendable {
        case fixed([UInt8])
        case digest(DigestSession)
    }

    private struct Known: Sendable {
        let space: ProtectionSpace
        /// Prefixes of the paths that get the credentials without a challenge.
        let prefixes: [[UInt8]]
        var proof: Proof
    }

    private let makeClientNonce: @Sendable () -> String
    private var known: [Known] = []

    /// More servers than a program talks to; beyond this, the oldest entry is forgotten.
    private static let knownCountMax = 1_024

    init(makeClientNonce: @escaping @Sendable () -> String = DigestSession.randomNonce) {
        self.makeClientNonce = makeClientNonce
    }

    /// The credentials to send before the server asks, if the same server accepted them before.
    mutating func authorization(
        for request: AuthenticatedRequest, attempts: inout AuthenticationAttempts
    ) -> [UInt8]? {
        let server = request.space(realm: nil)
        let index = known.lastIndex { known in
            known.space.with(realm: nil) == server
                && known.prefixes.contains { request.url.path.starts(with: $0) }
        }
        guard let index, let value = value(at: index, for: request), attempts.note(value) else {
            return nil
        }
        return value
    }

    /// The credentials that answer an offer, or nil if they have failed already or cannot be sent.
    /// Later requests to the same space send them without a challenge only if `isKept`.
    mutating func answer(
        _ offer: AuthenticationOffer, with credential: Credential,
        for request: AuthenticatedRequest, isKept: Bool = true,
        attempts: inout AuthenticationAttempts
    ) -> [UInt8]? {
        known.removeAll { $0.space == offer.space }
        guard attempts.allows(offer, with: credential),
            let proof = proof(of: credential, for: offer)
        else { return nil }
        let prefixes = ChallengeAnswerer.prefixes(of: offer, request: request)
        known.append(Known(space: offer.space, prefixes: prefixes, proof: proof))
        let value = value(at: known.count - 1, for: request)
        let isNew = value.map { attempts.note($0) } ?? false
        if !isNew || !isKept { known.removeLast() }
        if known.count > ChallengeAnswerer.knownCountMax { known.removeFirst() }
        return isNew ? value : nil
    }

    /// Takes a next nonce from a response, if it has one (RFC 7616 §3.5).
    mutating func note(_ fields: HeaderFields, from request: AuthenticatedRequest) {
        guard let text = fields[request.recipient.infoFieldName],
            let info = AuthenticationChallenge.parse("Digest \(text)".utf8).first,
            let nonce = info.value("nextnonce")
        else { return }
        let server = request.space(realm: nil)
        for index in known.indices where known[index].space.with(realm: nil) == server {
            if case .digest(var session) = known[index].proof {
                session.use(nonce: nonce)
                known[index].proof = .digest(session)
            }
        }
    }

    mutating func removeAll() { known = [] }

    private mutating func value(at index: Int, for request: AuthenticatedRequest) -> [UInt8]? {
        switch known[index].proof {
        case .fixed(let value): return value
        case .digest(var session):
            let value = session.authorization(
                method: request.method, target: request.target, body: request.body)
            known[index].proof = .digest(session)
            return value
        }
    }

    private func proof(of credential: Credential, for offer: AuthenticationOffer) -> Proof? {
        switch (offer.scheme, credential) {
        case (.basic, .password(let user, let password)):
            AuthorizationHeader.basic(user: user, password: password).map { .fixed(Array($0.utf8)) }
        case (.bearer, .bearer(let token)):
            AuthorizationHeader.bearer(token: token).map { .fixed(Array($0.utf8)) }
        case (.digest(let challenge), .password(let user, let password)):
            .digest(
                DigestSession(
                    challenge, user: user, password: password, clientNonce: makeClientNonce()))
        default: nil
        }
    }

    /// Digest covers the URIs of its domain, or the whole server if it names none (RFC 7616 §3.3).
    /// The other schemes cover paths at or below the directory of the path that was challenged (RFC
    /// 7617 §2.2). A proxy's credentials cover everything.
    private static func prefixes(
        of offer: AuthenticationOffer, request: AuthenticatedRequest
    ) -> [[UInt8]] {
        guard request.recipient == .origin else { return [[]] }
        guard case .digest(let challenge) = offer.scheme else {
            let path = request.url.path
            return [path.lastIndex(of: UInt8(ascii: "/")).map { Array(path[...$0]) } ?? []]
        }
        guard !challenge.domain.isEmpty else { return [[]] }
        let server = "\(request.url.scheme)://\(request.url.authority)"
        return challenge.domain.compactMap { uri in
            if uri.hasPrefix("/") { return Array(uri.utf8) }
            return uri.hasPrefix(server) ? Array(uri.dropFirst(server.count).utf8) : nil
        }
    }
}

/// One way to authenticate that a server or proxy offers (RFC 9110 §11.3).
public struct AuthenticationChallenge: Sendable, Hashable {
    /// The name and value of a parameter, without quotation marks and escapes.
    public struct Parameter: Sendable, Hashable {
        /// The name as the server wrote it.
        public let name: String
        /// The value's bytes, unchanged because they go into Digest hashes.
        public let value: [UInt8]
    }

    let parsed: HTTPChallenge

    init(_ parsed: HTTPChallenge) { self.parsed = parsed }

    /// The scheme as the server wrote it, such as `Basic`.
    public var scheme: String { parsed.scheme }
    /// The text that some schemes use instead of parameters (`token68` in RFC 9110 §11.2).
    public var token68: String? { parsed.token68 }
    /// The parameters in the order they were received.
    public var parameters: [Parameter] {
        parsed.parameters.map { Parameter(name: $0.name, value: $0.value) }
    }

    /// All challenges of a message for a recipient, in order. Skips whatever cannot be parsed.
    public static func all(
        in fields: HeaderFields, from recipient: AuthenticationRecipient = .origin
    ) -> [AuthenticationChallenge] {
        HTTPChallenge.all(in: fields, named: recipient.challengeFieldName).map(Self.init)
    }

    public static func parse(_ bytes: some Collection<UInt8>) -> [AuthenticationChallenge] {
        HTTPChallenge.parse(bytes).map(Self.init)
    }

    /// The value of a parameter; the case of the name is ignored.
    public func value(_ name: String) -> [UInt8]? { parsed.value(name) }

    public func text(_ name: String) -> String? { parsed.text(name) }

    /// The part of a server that the credentials are for, or nil if the challenge names none.
    public var realm: String? { text("realm") }

    /// Whether the challenge's scheme is the given one, which must be in lower case.
    func isScheme(_ lowercase: StaticString) -> Bool { parsed.isScheme(lowercase) }
}

/// A challenge of a supported scheme, which can be answered.
public struct AuthenticationOffer: Sendable {
    enum Scheme: Sendable {
        case basic
        case bearer
        case digest(DigestChallenge)
    }

    public let space: ProtectionSpace
    let scheme: Scheme

    /// The challenges of a response that can be answered, strongest first: Digest with the stronger
    /// hash, then Bearer, then Basic. Empty if the response does not ask for credentials.
    public static func all(
        in head: ResponseHead, to request: AuthenticatedRequest
    ) -> [AuthenticationOffer] {
        guard head.status == request.recipient.status else { return [] }
        let challenges = AuthenticationChallenge.all(in: head.fields, from: request.recipient)
        let offers = challenges.compactMap { challenge -> AuthenticationOffer? in
            guard let scheme = scheme(of: challenge) else { return nil }
            return AuthenticationOffer(
                space: request.space(realm: challenge.realm ?? ""), scheme: scheme)
        }
        return offers.enumerated().sorted { left, right in
            (right.element.strength, left.offset) < (left.element.strength, right.offset)
        }.map(\.element)
    }

    public func takes(_ credential: Credential) -> Bool {
        switch (scheme, credential) {
        case (.basic, .password), (.digest, .password), (.bearer, .bearer): true
        default: false
        }
    }

    /// Whether the server rejected only the nonce as stale, so that the credential may be right.
    var isStale: Bool {
        if case .digest(let challenge) = scheme { challenge.isStale } else { false }
    }

    private static func scheme(of challenge: AuthenticationChallenge) -> Scheme? {
        if challenge.isScheme("basic") { return .basic }
        if challenge.isScheme("bearer") { return .bearer }
        return DigestChallenge(challenge.parsed).map(Scheme.digest)
    }

    private var strength: Int {
        switch scheme {
        case .basic: 0
        case .bearer: 1
        case .digest(let challenge): 2 + challenge.strength
        }
    }
}

/// The parts of a request that its credentials depend on.
public struct AuthenticatedRequest: Sendable {
    public var recipient: AuthenticationRecipient
    /// The URL of the server or proxy that gets the credentials.
    public var url: RawURL
    /// The request's method, which Digest includes in its hash.
    public var method: HTTPMethod
    /// The request target as it is sent, which Digest includes in its hash.
    public var target: [UInt8]
    /// The whole body, or nil if it is not in memory.
    public var body: [UInt8]?

    /// A request to a server, with the URL's path and query as its target.
    public init(method: HTTPMethod, url: RawURL, body: [UInt8]?) {
        recipient = .origin
        self.url = url
        self.method = method
        target = url.origin
        self.body = body
    }

    /// A request to a proxy, such as CONNECT.
    public init(method: HTTPMethod, target: [UInt8], proxy: RawURL, body: [UInt8]?) {
        recipient = .proxy
        url = proxy
        self.method = method
        self.target = target
        self.body = body
    }

    func space(realm: String?) -> ProtectionSpace {
        ProtectionSpace(
            scheme: url.scheme, host: url.host, port: url.port, realm: realm, recipient: recipient)
    }
}

/// The server or proxy that asks for credentials; each has its own status and fields (RFC 9110
/// §11.6, §11.7).
public enum AuthenticationRecipient: Sendable, Hashable {
    /// The server that the URL names.
    case origin
    case proxy

    /// The status of a response that asks for credentials.
    public var status: Int {
        switch self {
        case .origin: 401
        case .proxy: 407
        }
    }

    public var challengeFieldName: String {
        switch self {
        case .origin: "WWW-Authenticate"
        case .proxy: "Proxy-Authenticate"
        }
    }

    public var credentialsFieldName: String {
        switch self {
        case .origin: "Authorization"
        case .proxy: "Proxy-Authorization"
        }
    }

    /// The response field that confirms authentication and may have a next nonce (RFC 7616 §3.5).
    var infoFieldName: String {
        switch self {
        case .origin: "Authentication-Info"
        case .proxy: "Proxy-Authentication-Info"
        }
    }
}

/// The credentials that one request has tried, so that none is tried twice.
public struct AuthenticationAttempts: Sendable {
    private struct Try: Sendable, Hashable {
        let space: ProtectionSpace
        let credential: Credential
    }

    private var tries: Set<Try> = []
    private var sentValues: Set<[UInt8]> = []
    private var staleCount = 0

    /// How often a server may report that the nonce is stale before the request gives up.
    private static let staleCountMax = 3

    public init() {}

    /// Whether a credential may be tried for an offer: not after it has failed, unless only the
    /// nonce was stale.
    mutating func allows(_ offer: AuthenticationOffer, with credential: Credential) -> Bool {
        guard !tries.insert(Try(space: offer.space, credential: credential)).inserted else {
            return true
        }
        guard offer.isStale, staleCount < AuthenticationAttempts.staleCountMax else { return false }
        staleCount += 1
        return true
    }

    /// Records a value that is about to be sent; returns false if the same value was sent before.
    mutating func note(_ value: [UInt8]) -> Bool { sentValues.insert(value).inserted }
}

internal import ProxydHTTPModel
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

    /// Forgets every server and proxy.
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

public import ProxydHTTPModel
internal import ProxydTransport

/// A challenge of a supported scheme, which can be answered.
public struct AuthenticationOffer: Sendable {
    enum Scheme: Sendable {
        case basic
        case bearer
        case digest(DigestChallenge)
    }

    /// The protection space that the credential is for.
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

    /// Whether the scheme accepts this kind of credential.
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

internal import ProxydHTTPModel

/// What a lane knows of proxies that want credentials. Confined to its loop.
final class ProxyAuthorizer {
    private var authenticator = ChallengeAnswerer()

    /// What to send without being asked: what the proxy took before, else name and password by
    /// Basic, as every client does that was given them for the proxy.
    func first(
        for request: AuthenticatedRequest, of proxy: ProxyServer,
        attempts: inout AuthenticationAttempts
    ) -> [UInt8]? {
        guard let credential = proxy.credential else { return nil }
        if let known = authenticator.authorization(for: request, attempts: &attempts) {
            return known
        }
        let value =
            switch credential {
            case .password(let user, let password):
                AuthorizationHeader.basic(user: user, password: password)
            case .bearer(let token): AuthorizationHeader.bearer(token: token)
            }
        guard let octets = value.map({ Array($0.utf8) }), attempts.note(octets) else { return nil }
        return octets
    }

    /// What answers a 407; nil where nothing is left to try.
    func answer(
        to head: ResponseHead, for request: AuthenticatedRequest, of proxy: ProxyServer,
        attempts: inout AuthenticationAttempts
    ) -> [UInt8]? {
        guard let credential = proxy.credential else { return nil }
        for offer in AuthenticationOffer.all(in: head, to: request) where offer.takes(credential) {
            let value = authenticator.answer(
                offer, with: credential, for: request, attempts: &attempts)
            if let value { return value }
        }
        return nil
    }

    /// The error of a 407 that stays.
    static func error(for head: ResponseHead) -> ProxyError {
        let challenges = AuthenticationChallenge.all(in: head.fields, from: .proxy)
        return .authenticationRequired(schemes: challenges.map(\.scheme))
    }
}

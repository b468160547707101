internal import ProxydHTTPModel

/// A lane's knowledge of proxies that require credentials. Confined to its loop.
final class ProxyAuthorizer {
    private var authenticator = ChallengeAnswerer()

    /// The credentials to send without a challenge: those that the proxy accepted before, otherwise
    /// Basic with the configured name and password, as other clients do.
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
        guard let bytes = value.map({ Array($0.utf8) }), attempts.note(bytes) else { return nil }
        return bytes
    }

    /// The credentials that answer a 407 response, or nil if nothing is left to try.
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

    /// The error for a final 407 response.
    static func error(for head: ResponseHead) -> ProxyError {
        let challenges = AuthenticationChallenge.all(in: head.fields, from: .proxy)
        return .authenticationRequired(schemes: challenges.map(\.scheme))
    }
}

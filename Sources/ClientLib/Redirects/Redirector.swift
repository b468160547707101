public import ProxydHTTPModel

/// Decides about the redirects of a session or of a request.
public protocol RedirectHandler: Sendable {
    /// What is followed at all.
    var policy: RedirectPolicy { get }
    /// The request to send in place of what the redirect asks for, perhaps the same; nil to have
    /// the redirect itself as the response.
    func redirect(
        _ proposed: RedirectRequest, for response: ResponseHead
    ) async -> RedirectRequest?
}

extension RedirectHandler {
    /// The usual policy.
    public var policy: RedirectPolicy { RedirectPolicy() }
}

/// The usual ways to handle redirects.
public struct Redirector: RedirectHandler {
    /// What to do with a redirect.
    public enum Behavior: Sendable {
        /// Send what it asks for.
        case follow
        /// Have it as the response.
        case doNotFollow
        /// Send what the closure gives; nil is `doNotFollow`.
        case modify(
            @Sendable (_ proposed: RedirectRequest, _ response: ResponseHead) async ->
                RedirectRequest?)
    }

    /// What to do with a redirect.
    public let behavior: Behavior
    /// What is followed at all.
    public let policy: RedirectPolicy

    /// Follows, within the usual policy.
    public static let follow = Redirector(behavior: .follow)
    /// Follows nothing.
    public static let doNotFollow = Redirector(behavior: .doNotFollow)

    /// Follows at most so many in a row.
    public static func follow(max countMax: Int) -> Redirector {
        Redirector(behavior: .follow, policy: RedirectPolicy(countMax: countMax))
    }

    /// Sends what the closure makes of each redirect.
    public static func modify(
        using closure:
            @escaping @Sendable (RedirectRequest, ResponseHead) async ->
            RedirectRequest?
    ) -> Redirector {
        Redirector(behavior: .modify(closure))
    }

    /// A behavior within a policy.
    public init(behavior: Behavior, policy: RedirectPolicy = RedirectPolicy()) {
        self.behavior = behavior
        self.policy = policy
    }

    /// What the behavior gives.
    public func redirect(
        _ proposed: RedirectRequest, for response: ResponseHead
    ) async -> RedirectRequest? {
        switch behavior {
        case .follow: proposed
        case .doNotFollow: nil
        case .modify(let closure): await closure(proposed, response)
        }
    }
}

extension RedirectHandler where Self == Redirector {
    /// Follows, within the usual policy.
    public static var follow: Redirector { Redirector(behavior: .follow) }
    /// Follows nothing.
    public static var doNotFollow: Redirector { Redirector(behavior: .doNotFollow) }
    /// Sends what the closure makes of each redirect.
    public static func modify(
        using closure:
            @escaping @Sendable (RedirectRequest, ResponseHead) async -> RedirectRequest?
    ) -> Redirector {
        Redirector(behavior: .modify(closure))
    }
}

public import ProxydHTTPModel

/// Decides about the redirects of a session or of a request.
public protocol RedirectHandler: Sendable {
    /// The redirects that may be followed.
    var policy: RedirectPolicy { get }
    /// The request to send, possibly different from the proposed one; nil makes the redirect itself
    /// the response.
    func redirect(
        _ proposed: RedirectRequest, for response: ResponseHead
    ) async -> RedirectRequest?
}

extension RedirectHandler {
    /// The default policy.
    public var policy: RedirectPolicy { RedirectPolicy() }
}

/// The common ways to handle redirects.
public struct Redirector: RedirectHandler {
    /// What to do with a redirect.
    public enum Behavior: Sendable {
        /// Follow the redirect.
        case follow
        /// Return the redirect as the response.
        case doNotFollow
        /// Send the request that the closure returns; nil means `doNotFollow`.
        case modify(
            @Sendable (_ proposed: RedirectRequest, _ response: ResponseHead) async ->
                RedirectRequest?)
    }

    /// What to do with a redirect.
    public let behavior: Behavior
    /// The redirects that may be followed.
    public let policy: RedirectPolicy

    /// Follows redirects with the default policy.
    public static let follow = Redirector(behavior: .follow)
    /// Follows no redirects.
    public static let doNotFollow = Redirector(behavior: .doNotFollow)

    /// Follows at most this many redirects in a row.
    public static func follow(max countMax: Int) -> Redirector {
        Redirector(behavior: .follow, policy: RedirectPolicy(countMax: countMax))
    }

    /// Sends the request that the closure returns for each redirect.
    public static func modify(
        using closure:
            @escaping @Sendable (RedirectRequest, ResponseHead) async ->
            RedirectRequest?
    ) -> Redirector {
        Redirector(behavior: .modify(closure))
    }

    /// Creates a handler with a behaviour and a policy.
    public init(behavior: Behavior, policy: RedirectPolicy = RedirectPolicy()) {
        self.behavior = behavior
        self.policy = policy
    }

    /// Applies the behaviour to a redirect.
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
    /// Follows redirects with the default policy.
    public static var follow: Redirector { Redirector(behavior: .follow) }
    /// Follows no redirects.
    public static var doNotFollow: Redirector { Redirector(behavior: .doNotFollow) }
    /// Sends the request that the closure returns for each redirect.
    public static func modify(
        using closure:
            @escaping @Sendable (RedirectRequest, ResponseHead) async -> RedirectRequest?
    ) -> Redirector {
        Redirector(behavior: .modify(closure))
    }
}

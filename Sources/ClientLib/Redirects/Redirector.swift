public import ProxydHTTPModel

/// Decides about the redirects of a session or of a request.
public protocol RedirectHandler: Sendable {
    var policy: RedirectPolicy { get }
    /// The request to send, possibly different from the proposed one; nil makes the redirect itself
    /// the response.
    func redirect(_ proposed: RedirectRequest, for response: ResponseHead) async -> RedirectRequest?
}

extension RedirectHandler {
    public var policy: RedirectPolicy { RedirectPolicy() }
}

/// The common ways to handle redirects.
public struct Redirector: RedirectHandler {
    public enum Behavior: Sendable {
        case follow
        /// Return the redirect as the response.
        case doNotFollow
        /// Send the request that the closure returns; nil means `doNotFollow`.
        case modify(
            @Sendable (_ proposed: RedirectRequest, _ response: ResponseHead) async ->
                RedirectRequest?)
    }

    public let behavior: Behavior
    public let policy: RedirectPolicy

    public static let follow = Redirector(behavior: .follow)
    public static let doNotFollow = Redirector(behavior: .doNotFollow)

    public static func follow(max countMax: Int) -> Redirector {
        Redirector(behavior: .follow, policy: RedirectPolicy(countMax: countMax))
    }

    public static func modify(
        using closure:
            @escaping @Sendable (RedirectRequest, ResponseHead) async ->
            RedirectRequest?
    ) -> Redirector {
        Redirector(behavior: .modify(closure))
    }

    public init(behavior: Behavior, policy: RedirectPolicy = RedirectPolicy()) {
        self.behavior = behavior
        self.policy = policy
    }

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
    public static var follow: Redirector { Redirector(behavior: .follow) }
    public static var doNotFollow: Redirector { Redirector(behavior: .doNotFollow) }
    public static func modify(
        using closure:
            @escaping @Sendable (RedirectRequest, ResponseHead) async -> RedirectRequest?
    ) -> Redirector {
        Redirector(behavior: .modify(closure))
    }
}

/// Which redirects are followed, and which fields are sent along.
public struct RedirectPolicy: Sendable, Hashable {
    /// The most redirects in a row.
    public var countMax: Int
    /// Whether a redirect may lead from https to http, which would send a private request in plain
    /// text.
    public var allowsLeavingTLS: Bool
    /// Whether 301 and 302 keep POST, as originally specified; browsers change it to GET (RFC 9110
    /// §15.4.2).
    public var keepsPost: Bool
    /// Names of fields, in lower case, that are not sent to another origin.
    public var originFieldNames: Set<String>

    /// Credentials, and fields that identify the requesting page.
    public static let defaultOriginFieldNames: Set<String> = [
        "authorization", "cookie", "cookie2", "origin", "proxy-authorization", "x-api-key",
        "x-auth-token", "x-csrf-token",
    ]

    public init(
        countMax: Int = 20, allowsLeavingTLS: Bool = false, keepsPost: Bool = false,
        originFieldNames: Set<String> = RedirectPolicy.defaultOriginFieldNames
    ) {
        self.countMax = countMax
        self.allowsLeavingTLS = allowsLeavingTLS
        self.keepsPost = keepsPost
        self.originFieldNames = originFieldNames
    }
}

/// The parts of a request that a redirect changes.
public struct RedirectRequest: Sendable, Hashable {
    public var method: HTTPMethod
    public var url: RawURL
    /// The fields that the program set; those for cookies and authentication are added to each
    /// attempt again.
    public var fields: HeaderFields
    public var keepsBody: Bool

    public init(method: HTTPMethod, url: RawURL, fields: HeaderFields, keepsBody: Bool = true) {
        self.method = method
        self.url = url
        self.fields = fields
        self.keepsBody = keepsBody
    }
}

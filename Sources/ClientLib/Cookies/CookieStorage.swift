public import ProxydHTTPModel
internal import Synchronization

/// A cookie jar that the requests of a session share.
public final class CookieStorage: Sendable {
    private let jar: Mutex<CookieJar>

    /// Creates a storage from a jar.
    public init(_ jar: CookieJar = CookieJar()) { self.jar = Mutex(jar) }

    /// A copy of the current jar.
    public var snapshot: CookieJar { jar.withLock { $0 } }

    /// Every cookie, oldest first.
    public var cookies: [Cookie] { jar.withLock { $0.all } }

    /// Stores the cookies that a response sets; returns the refusals.
    @discardableResult
    public func store(
        _ fields: HeaderFields, from url: RawURL, now: HTTPDate = .now
    ) -> [CookieRefusal] {
        guard fields.first(.setCookie) != nil else { return [] }
        return jar.withLock { $0.store(fields, from: url, now: now) }
    }

    /// Stores a cookie that the program created.
    public func setCookie(_ cookie: Cookie) { jar.withLock { $0.insert(cookie) } }

    /// The cookies for a request, in the order they are sent.
    public func cookies(for url: RawURL, now: HTTPDate = .now) -> [Cookie] {
        jar.withLock { $0.cookies(for: url, now: now) }
    }

    /// The value of a request's Cookie field, or nil if there is no cookie for it.
    public func fieldValue(for url: RawURL, now: HTTPDate = .now) -> [UInt8]? {
        jar.withLock { $0.fieldValue(for: url, now: now) }
    }

    /// Changes the whole jar in one atomic step.
    public func withJar<Result: Sendable>(
        _ body: (inout CookieJar) throws -> Result
    ) rethrows -> Result {
        try jar.withLock { try body(&$0) }
    }

    /// Removes every cookie.
    public func removeAll() { jar.withLock { $0.removeAll() } }
}

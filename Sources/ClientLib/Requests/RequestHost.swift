internal import ProxydHTTPModel

/// What a request needs from the session that made it. The session's connections live as long as
/// any of its requests.
protocol RequestHost: AnyObject, Sendable {
    /// The session's settings.
    var configuration: SessionConfiguration { get }
    /// The default fields after validation; if any is invalid, every request fails.
    var defaults: Result<HeaderFields, ClientError> { get }
    /// Sends requests that have no transport of their own.
    var transport: any ClientTransport { get }
    /// Decides about redirects of requests without their own handler.
    var redirectHandler: any RedirectHandler { get }
    /// Removes a request that has ended.
    func unregister(_ id: UInt64)
}

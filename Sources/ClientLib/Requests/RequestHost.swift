internal import ProxydHTTPModel

/// What a request needs of the session that made it. The session's connections live as long as one
/// of its requests.
protocol RequestHost: AnyObject, Sendable {
    /// How the session behaves.
    var configuration: SessionConfiguration { get }
    /// The default fields, checked; those that are not valid make every request fail.
    var defaults: Result<HeaderFields, ClientError> { get }
    /// What sends requests that have no transport of their own.
    var transport: any ClientTransport { get }
    /// Decides about redirects of requests that have no handler of their own.
    var redirectHandler: any RedirectHandler { get }
    /// Forgets a request that is over.
    func unregister(_ id: UInt64)
}

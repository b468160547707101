internal import ProxydHTTPWire
internal import ProxydTLS

/// The settings of a network transport.
struct NetworkOptions: Sendable {
    /// The number of threads; each has its own connections.
    var loopCount = 1
    /// The largest number of concurrent requests to one host and port, over all loops.
    var connectionsPerHostCountMax = 8
    /// The largest number of concurrent HTTP/2 requests to one host and port, over all loops.
    var streamsPerHostCountMax = 100
    /// How long a kept-alive connection may be idle, in nanoseconds.
    var idleConnectionTimeoutNs: Int64 = 30_000_000_000
    /// The trusted authorities.
    var authorities = AuthorityStore(.system(extraFiles: []))
    /// Evaluates trust, or nil to rely on the authorities only.
    var serverTrust: ServerTrustManager?
    /// The certificates presented to servers that ask for one.
    var clientCertificates = ClientCertificates.none
    /// The proxies for requests.
    var proxies = ProxySettings.direct
    /// The addresses that connections may go to.
    var addressRules = AddressRules()
    /// Limits on response heads.
    var wireLimits = WireLimits()
}

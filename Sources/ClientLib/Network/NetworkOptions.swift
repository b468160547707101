internal import ProxydHTTPWire
internal import ProxydTLS

/// What a network transport needs to know.
struct NetworkOptions: Sendable {
    /// Threads, each with connections of its own.
    var loopCount = 1
    /// Requests to one host and port at the same time, over all loops.
    var connectionsPerHostCountMax = 8
    /// Requests to one host and port that speaks HTTP/2 at the same time, over all loops.
    var streamsPerHostCountMax = 100
    /// How long a kept-alive connection may be idle, nanoseconds.
    var idleConnectionTimeoutNs: Int64 = 30_000_000_000
    /// Whom to trust.
    var authorities = AuthorityStore(.system(extraFiles: []))
    /// Who judges servers; nil for the authorities alone.
    var serverTrust: ServerTrustManager?
    /// What is shown to servers that ask for a certificate.
    var clientCertificates = ClientCertificates.none
    /// Which proxies requests go through.
    var proxies = ProxySettings.direct
    /// Which addresses are connected to.
    var addressRules = AddressRules()
    /// Limits of response heads.
    var wireLimits = WireLimits()
}

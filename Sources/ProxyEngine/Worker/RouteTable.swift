public import ProxydTLS
public import ProxydTransport

/// The ways to servers in the configuration: upstream proxies and client certificates.
public struct RouteTable: Sendable {
    /// The upstream proxy for a host and port; `isPlain` says that neither TLS nor a tunnel was
    /// asked for. Nil for a direct connection.
    public var upstream: @Sendable (String, UInt16, _ isPlain: Bool) -> UpstreamProxy?
    /// The upstream proxy with a name.
    public var upstreamNamed: @Sendable (String) -> UpstreamProxy?
    /// The certificate to show to a server whose certificate must be for this name, at this port.
    public var certificate: @Sendable (String, UInt16) -> ClientIdentity?
    /// The certificate with a name.
    public var certificateNamed: @Sendable (String) -> ClientIdentity?

    /// Creates a table without any.
    public init() {
        upstream = { _, _, _ in nil }
        upstreamNamed = { _ in nil }
        certificate = { _, _ in nil }
        certificateNamed = { _ in nil }
    }
}

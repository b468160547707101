public import ProxydHTTPWire
public import ProxydTLS

/// What a reverse listener offers: the server whose place it takes, and how clients reach it.
public final class ReverseService: Sendable {
    /// The value of Host for the server.
    public enum HostField: Sendable, Hashable {
        /// The server's own name.
        case change
        /// The value that the client sent.
        case keep
        /// A name that the user has chosen.
        case name(String)
    }

    /// The certificate that clients get.
    public enum ClientTLS: Sendable {
        /// None: clients do not use TLS.
        case none
        /// One of the proxy's authority, for the name that the client asks for, and otherwise for
        /// this one; without a name, for the address that the client connected to.
        case authority(name: String?)
        /// The user's own. The closure returns the one that is in force.
        case certificate(@Sendable () -> TLSServerContext)
    }

    /// The server that gets the requests.
    public let server: ReplacedServer
    /// The value of Host for the server.
    public let hostField: HostField
    /// Whether references to the server in responses are replaced by references to the listener.
    public let rewritesBack: Bool
    /// Whether references to the listener in requests are replaced by references to the server.
    public let rewritesRequests: Bool
    /// The certificate that clients get.
    public let clientTLS: ClientTLS
    /// The form of the PROXY header that names the client to the server; nil to send none.
    public let headerVersion: PROXYVersion?

    /// Creates a service. Without `rewritesRequests`, requests are rewritten if Host is changed.
    public init(
        server: ReplacedServer, hostField: HostField = .change, rewritesBack: Bool = true,
        rewritesRequests: Bool? = nil, clientTLS: ClientTLS = .none,
        headerVersion: PROXYVersion? = nil
    ) {
        self.headerVersion = headerVersion
        self.server = server
        self.hostField = hostField
        self.rewritesBack = rewritesBack
        self.rewritesRequests = rewritesRequests ?? (hostField != .keep)
        self.clientTLS = clientTLS
    }
}

/// Where a reverse listener forwards requests to, and how clients connect to it.
package struct ReverseRoute: Sendable, Hashable {
    /// The value of `Host` for the server.
    package enum HostField: Sendable, Hashable {
        /// The server's own name.
        case change
        /// The value that the client sent.
        case keep
        /// A name that the user has chosen.
        case name(String)
    }

    /// The certificate that clients get.
    package enum ClientTLS: Sendable, Hashable {
        /// A certificate of this proxy's authority for the name that the client requests, or for
        /// `names` if it requests none.
        case authority(names: [String])
        /// The user's own certificate; absolute paths of PEM files.
        case files(certificate: String, key: String)
    }

    /// The server that requests are forwarded to.
    package var server: ReverseServer
    /// The value of `Host` for the server.
    package var hostField = HostField.change
    /// TLS with clients, or nil for plain HTTP.
    package var clientTLS: ClientTLS?
    /// Whether references to the server in responses are replaced by references to this proxy.
    package var rewritesBack = true
    /// Whether references to this proxy in requests are replaced by references to the server; nil
    /// where that follows from `hostField`.
    package var rewritesRequests: Bool?
    /// The form of the PROXY header that names the client to the server, 1 or 2; nil to send none.
    package var headerVersion: Int?

    /// Creates a route to a server, with default values for everything else.
    package init(to server: ReverseServer, clientTLS: ClientTLS? = nil) {
        self.server = server
        self.clientTLS = clientTLS
    }
}

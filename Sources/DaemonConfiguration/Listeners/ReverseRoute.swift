/// Where a reverse listener passes requests on to, and how it meets its clients.
package struct ReverseRoute: Sendable, Hashable {
    /// What goes to the server as Host.
    package enum HostField: Sendable, Hashable {
        /// The server's own name.
        case change
        /// What the client sent.
        case keep
        /// A name of the user's choice.
        case name(String)
    }

    /// Which certificate clients are shown.
    package enum ClientTLS: Sendable, Hashable {
        /// A leaf of our authority for the name the client asks for; without one, for these.
        case authority(names: [String])
        /// One of the user's own; absolute paths of PEM files.
        case files(certificate: String, key: String)
    }

    /// The server.
    package var server: ReverseServer
    /// What goes to it as Host.
    package var hostField = HostField.change
    /// How clients are met; nil for plain HTTP.
    package var clientTLS: ClientTLS?
    /// Whether what names the server in a response names us instead.
    package var rewritesBack = true

    /// A route to a server; the rest as it is where nothing is said.
    package init(to server: ReverseServer, clientTLS: ClientTLS? = nil) {
        self.server = server
        self.clientTLS = clientTLS
    }
}

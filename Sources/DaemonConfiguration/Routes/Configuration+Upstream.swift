extension Configuration {
    /// A `[[upstream]]` table, or a proxy of the environment.
    package struct Upstream: Sendable, Equatable {
        /// The requests that a proxy is for.
        package enum Requests: Sendable, Equatable {
            case all
            /// Only requests without TLS.
            case plain
            /// Only TLS and tunnels.
            case secured
        }

        /// The name, which rules may use.
        package var name: String
        /// Where the proxy is.
        package var url: UpstreamURL
        /// The user name, if the proxy asks for one.
        package var user: String?
        /// The path of the file with the password.
        package var passwordFile: String?
        /// The password in the file.
        package var password: Secret?
        /// The servers that are reached through it.
        package var hosts: [HostPattern]
        /// The servers among these that are not.
        package var exceptions: [BypassPattern] = []
        /// The version of the PROXY header that names the client; nil to send none.
        package var headerVersion: Int?
        /// The requests that it is for.
        package var requests = Requests.all

        /// Whether a server is reached through it.
        package func takes(host: String, port: UInt16, isPlain: Bool) -> Bool {
            switch requests {
            case .all: break
            case .plain: guard isPlain else { return false }
            case .secured: guard !isPlain else { return false }
            }
            return hosts.contains { $0.matches(host: host, port: port) }
                && !exceptions.contains { $0.matches(host: host, port: port) }
        }
    }

    /// A text that is not shown.
    package struct Secret: Sendable, Equatable, CustomStringConvertible {
        /// The text.
        package let text: String

        /// Creates a secret.
        package init(_ text: String) { self.text = text }

        /// Dots.
        package var description: String { "…" }
    }
}

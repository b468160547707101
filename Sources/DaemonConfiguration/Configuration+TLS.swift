package import ProxydTLS

extension Configuration {
    /// Which connections are intercepted, and which servers are trusted.
    package struct TLS: Sendable, Equatable {
        /// Hosts whose TLS is intercepted and recorded.
        package var intercept = (try? HostPattern("*")).map { [$0] } ?? []
        /// Hosts whose TLS is relayed unread; takes precedence over `intercept`.
        package var passThrough: [HostPattern] = []
        /// The names that the certificate authority may sign for.
        package var authorityScope = AuthorityScope.unlimited
        /// Hosts whose certificates are not verified.
        package var unverifiedHosts: [HostPattern] = []
        /// PEM files of authorities trusted in addition to the system's.
        package var extraCAFiles: [String] = []
        /// Where the secrets of all TLS sessions are written, or nil.
        package var keyLogFile: String?

        /// Whether TLS to this host is intercepted and recorded.
        package func intercepts(host: String, port: UInt16) -> Bool {
            !passThrough.contains { $0.matches(host: host, port: port) }
                && intercept.contains { $0.matches(host: host, port: port) }
        }

        /// Whether this host's certificate is verified.
        package func verifies(host: String, port: UInt16) -> Bool {
            !unverifiedHosts.contains { $0.matches(host: host, port: port) }
        }
    }
}

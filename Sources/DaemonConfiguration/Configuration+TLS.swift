package import ProxydTLS

extension Configuration {
    /// What is intercepted and what is trusted.
    package struct TLS: Sendable, Equatable {
        /// Hosts whose TLS is opened and recorded.
        package var intercept = (try? HostPattern("*")).map { [$0] } ?? []
        /// Hosts whose TLS is relayed unread; goes before `intercept`.
        package var passThrough: [HostPattern] = []
        /// The names that the certificate authority may sign for.
        package var authorityScope = AuthorityScope.unlimited
        /// Hosts whose certificate is not verified.
        package var unverifiedHosts: [HostPattern] = []
        /// PEM files of authorities trusted besides the system's.
        package var extraCAFiles: [String] = []

        /// Whether TLS to this host is opened and recorded.
        package func intercepts(host: String, port: UInt16) -> Bool {
            !passThrough.contains { $0.matches(host: host, port: port) }
                && intercept.contains { $0.matches(host: host, port: port) }
        }

        /// Whether this host's certificate must stand verification.
        package func verifies(host: String, port: UInt16) -> Bool {
            !unverifiedHosts.contains { $0.matches(host: host, port: port) }
        }
    }
}

internal import TLS

extension Configuration {
    /// What is intercepted and what is trusted.
    struct TLS: Sendable, Equatable {
        /// Hosts whose TLS is opened and recorded.
        var intercept = (try? HostPattern("*")).map { [$0] } ?? []
        /// Hosts whose TLS is relayed unread; goes before `intercept`.
        var passThrough: [HostPattern] = []
        /// The names that the certificate authority may sign for.
        var authorityScope = AuthorityScope.unlimited
        /// Hosts whose certificate is not verified.
        var unverifiedHosts: [HostPattern] = []
        /// PEM files of authorities trusted besides the system's.
        var extraCAFiles: [String] = []

        /// Whether TLS to this host is opened and recorded.
        func intercepts(host: String, port: UInt16) -> Bool {
            !passThrough.contains { $0.matches(host: host, port: port) }
                && intercept.contains { $0.matches(host: host, port: port) }
        }

        /// Whether this host's certificate must stand verification.
        func verifies(host: String, port: UInt16) -> Bool {
            !unverifiedHosts.contains { $0.matches(host: host, port: port) }
        }
    }
}

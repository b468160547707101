internal import ClientLib

extension ClientError {
    /// The error of a replay, and how to send the request nevertheless.
    var messageWithRemedy: String {
        remedy.map { "\(message) (\($0))" } ?? message
    }

    private var remedy: String? {
        if case .replayRefused(.truncatedBody) = kind { return "use --truncated to send them" }
        if isAboutDeniedNetwork { return ClientError.deniedNetworkKey }
        guard isAboutCertificate else { return nil }
        return "--insecure sends all the same; tls.extra_ca_files and tls.unverified_hosts of"
            + " the configuration count here, too"
    }

    /// Whether the daemon's configuration forbids the address.
    var isAboutDeniedNetwork: Bool { kind == .network(.refused) }

    /// The configuration key that forbids it.
    static let deniedNetworkKey =
        "forwarding.denied_target_networks of the configuration counts here, too"
}

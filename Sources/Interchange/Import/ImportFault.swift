internal import ProxydHTTPModel

/// Whose fault it was that an exchange failed, by the words of the program that saw it: Chrome's
/// and Firefox's error names, and messages of mitmproxy and Charles.
enum ImportFault {
    private typealias Cause = (origin: ExchangeFailure.Origin, kind: ExchangeFailure.Kind)

    private static let messageCountMax = 200

    /// Words in lower case and what they mean; the first that is found counts.
    private static let causes: [(words: [String], cause: Cause)] = [
        (["err_blocked_by", "err_cache_miss"], (.client, .refused)),
        (
            [
                "err_aborted", "ns_binding_aborted", "client disconnect", "by client",
                "client closed", "client reset",
            ], (.client, .closedEarly)
        ),
        (
            [
                "err_internet_disconnected", "err_network_changed", "err_network_io_suspended",
                "err_network_access_denied", "ns_error_offline",
            ], (.client, .connectFailed)
        ),
        (["connection killed"], (.proxy, .refused)),
        (
            [
                "err_name_", "ns_error_unknown_host", "name or service not known",
                "nodename nor servname", "unknownhost", "getaddrinfo",
            ], (.upstream, .nameResolution)
        ),
        (["refused"], (.upstream, .connectionRefused)),
        (["timed_out", "timed out", "timeout"], (.upstream, .timedOut)),
        (["err_cert_", "certificate"], (.upstream, .certificate)),
        (["err_ssl_", "err_bad_ssl", "handshake"], (.upstream, .tlsHandshake)),
        (
            ["err_address_", "err_proxy_", "err_tunnel_", "err_connection_failed", "unreachable"],
            (.upstream, .connectFailed)
        ),
        (["err_invalid_", "protocol_error"], (.upstream, .malformedResponse)),
    ]

    /// - Parameter message: What the program says.
    static func failure(_ message: String) -> ExchangeFailure {
        let message = String(message.prefix(messageCountMax))
        let text = message.lowercased()
        let known = causes.first { $0.words.contains { text.contains($0) } }?.cause
        let (origin, kind) = known ?? (.upstream, .closedEarly)
        return ExchangeFailure(origin: origin, kind: kind, message: message)
    }

    /// The file has no response, and does not say why: it may have come after the recording.
    static func notRecorded(_ message: String) -> ExchangeFailure {
        ExchangeFailure(origin: .proxy, kind: .closedEarly, message: message)
    }
}

internal import ProxydCOpenSSL

/// Why a TLS session failed, with a message for the user.
///
/// After an error the session cannot be used, but `TLSSession.withOutput` may still contain an
/// alert for the peer: send it before closing.
public struct TLSError: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Kind: Sendable, Hashable {
        /// The peer's certificate failed verification (client role only).
        case certificate(CertificateProblem)
        /// The peer ended the session with an alert.
        case alertReceived(TLSAlert)
        /// The peer violated the protocol, or the two sides have no common parameters.
        case protocolFailure
        /// The transport was closed before the handshake was complete.
        case closedDuringHandshake
        /// The transport was closed after the handshake without the peer's close_notify: the data
        /// may be truncated (RFC 9112 §9.8).
        case truncated
        /// An error in our own configuration or resources.
        case configuration
    }

    public let kind: Kind
    /// A one-line message for the user, without secrets or control characters.
    public let message: String

    public init(kind: Kind, message: String) {
        self.kind = kind
        self.message = message
    }

    /// Whether the peer reported that it rejects our certificate.
    public var isCertificateRefusedByPeer: Bool {
        guard case .alertReceived(let alert) = kind else { return false }
        return alert.saysIssuerIsNotTrusted || alert.saysCertificateIsRefused
    }

    public var description: String { message }
}

/// A TLS alert (RFC 8446 §6) by its number and registered name.
public struct TLSAlert: Sendable, Hashable, CustomStringConvertible {
    /// The number on the wire.
    public let code: UInt8

    public init(code: UInt8) {
        self.code = code
    }

    /// The registered name, such as `unknown_ca`, or the number if there is none.
    public var name: String { Self.names[code] ?? "\(code)" }

    public var description: String { name }

    /// Whether a peer uses this alert to reject the issuer of our certificate.
    ///
    /// Clients differ: OpenSSL and Go send `unknown_ca` or `bad_certificate`, browsers and Java
    /// `certificate_unknown`.
    var saysIssuerIsNotTrusted: Bool { [42, 46, 48].contains(code) }

    /// Whether a peer uses this alert to reject our certificate itself, not its issuer.
    var saysCertificateIsRefused: Bool { [43, 44, 45, 111, 113].contains(code) }

    private static let names: [UInt8: String] = [
        0: "close_notify", 10: "unexpected_message", 20: "bad_record_mac",
        21: "decryption_failed", 22: "record_overflow", 30: "decompression_failure",
        40: "handshake_failure", 41: "no_certificate", 42: "bad_certificate",
        43: "unsupported_certificate", 44: "certificate_revoked", 45: "certificate_expired",
        46: "certificate_unknown", 47: "illegal_parameter", 48: "unknown_ca",
        49: "access_denied", 50: "decode_error", 51: "decrypt_error", 60: "export_restriction",
        70: "protocol_version", 71: "insufficient_security", 80: "internal_error",
        86: "inappropriate_fallback", 90: "user_canceled", 100: "no_renegotiation",
        109: "missing_extension", 110: "unsupported_extension", 111: "certificate_unobtainable",
        112: "unrecognized_name", 113: "bad_certificate_status_response",
        115: "unknown_psk_identity", 116: "certificate_required",
        120: "no_application_protocol",
    ]
}

/// OpenSSL's per-thread error queue: cleared before a call whose failure will be inspected, and
/// drained after it, so that no error is attributed to the wrong session.
enum ErrorQueue {
    /// The first error of a failed call.
    struct Entry {
        let reason: Int32
        let text: String
    }

    static func clear() { ERR_clear_error() }

    /// Removes the oldest entry, which is the cause, and empties the queue.
    static func drain() -> Entry {
        let code = ERR_get_error()
        ERR_clear_error()
        guard code != 0, let text = ERR_reason_error_string(code) else {
            return Entry(reason: 0, text: "unknown error")
        }
        return Entry(reason: ERR_GET_REASON(code), text: String(cString: text))
    }

    /// A configuration error with OpenSSL's reason appended.
    static func configurationError(_ action: String) -> TLSError {
        TLSError(kind: .configuration, message: "\(action): \(drain().text)")
    }
}

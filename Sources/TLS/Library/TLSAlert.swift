/// A TLS alert (RFC 8446 §6) by its number and registered name.
public struct TLSAlert: Sendable, Hashable, CustomStringConvertible {
    /// The number on the wire.
    public let code: UInt8

    /// An alert of that number.
    public init(code: UInt8) {
        self.code = code
    }

    /// The registered name, such as `unknown_ca`; the number where it has none.
    public var name: String { Self.names[code] ?? "\(code)" }

    /// The name.
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

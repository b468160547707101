internal import ProxydCOpenSSL

/// A version of TLS that is still safe to use.
public enum TLSVersion: Sendable, Hashable, CaseIterable {
    /// TLS 1.2 (RFC 5246).
    case tls12
    /// TLS 1.3 (RFC 8446).
    case tls13

    var number: Int32 {
        switch self {
        case .tls12: TLS1_2_VERSION
        case .tls13: TLS1_3_VERSION
        }
    }
}

/// Why a TLS session failed, with a message for the user.
///
/// After an error the session cannot be used, but `TLSSession.withOutput` may still contain an
/// alert for the peer: send it before closing.
public struct TLSError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure.
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

    /// The kind of failure.
    public let kind: Kind
    /// A one-line message for the user, without secrets or control characters.
    public let message: String

    /// An error.
    public init(kind: Kind, message: String) {
        self.kind = kind
        self.message = message
    }

    /// Whether the peer reported that it rejects our certificate.
    public var isCertificateRefusedByPeer: Bool {
        guard case .alertReceived(let alert) = kind else { return false }
        return alert.saysIssuerIsNotTrusted || alert.saysCertificateIsRefused
    }

    /// The message.
    public var description: String { message }
}

/// Why a TLS session failed, in words for a person.
///
/// After an error the session is of no use, but `TLSSession.withOutput` may still hold the alert
/// that tells the peer: send it before closing.
public struct TLSError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What happened.
    public enum Kind: Sendable, Hashable {
        /// The peer's certificate did not stand verification (client role only).
        case certificate(CertificateProblem)
        /// The peer ended the session with an alert.
        case alertReceived(TLSAlert)
        /// The peer broke the protocol, or nothing both sides accept could be agreed.
        case protocolFailure
        /// The transport ended before the handshake was done.
        case closedDuringHandshake
        /// The transport ended after the handshake without the peer's close_notify: what came
        /// may be cut short (RFC 9112 §9.8).
        case truncated
        /// Our own configuration or resources.
        case configuration
    }

    /// What happened.
    public let kind: Kind
    /// One line for a person, without secrets and without control bytes.
    public let message: String

    /// An error.
    public init(kind: Kind, message: String) {
        self.kind = kind
        self.message = message
    }

    /// Whether the peer said that it does not accept our certificate.
    public var isCertificateRefusedByPeer: Bool {
        guard case .alertReceived(let alert) = kind else { return false }
        return alert.saysIssuerIsNotTrusted || alert.saysCertificateIsRefused
    }

    /// The message.
    public var description: String { message }
}

/// Why a server's certificate is rejected.
public struct CertificateProblem: Sendable, Hashable, CustomStringConvertible {
    /// The kind of problem; the names are stable and can be stored.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A certificate of the chain has expired.
        case expired
        /// A certificate of the chain is not valid yet.
        case notYetValid
        /// The certificate is for other names.
        case nameMismatch
        /// The server signed its certificate itself.
        case selfSigned
        /// The chain does not end at an issuer of the trust store.
        case unknownIssuer
        /// Revoked by its issuer.
        case revoked
        /// The certificate requires proof that it is not revoked, but the server did not send it
        /// (RFC 7633).
        case statusMissing
        /// The key or signature is too weak.
        case weak
        /// Anything else, such as a bad signature or a certificate that is not for servers.
        case invalid
    }

    /// The kind of problem.
    public let kind: Kind
    /// OpenSSL's error number (`X509_V_ERR_…`).
    public let code: Int
    /// A one-line message in printable ASCII: `certificate expired on 2024-01-01`.
    public let message: String

    /// A problem.
    public init(kind: Kind, code: Int, message: String) {
        self.kind = kind
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}

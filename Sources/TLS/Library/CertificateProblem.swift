/// Why a server's certificate is not accepted.
public struct CertificateProblem: Sendable, Hashable, CustomStringConvertible {
    /// What kind of problem; stable names, fit to be stored.
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
        /// The certificate demands that the server proves it is not revoked, and it did not
        /// (RFC 7633).
        case statusMissing
        /// Key or signature too weak.
        case weak
        /// Anything else, such as a bad signature or a certificate that is not for servers.
        case invalid
    }

    /// What kind of problem.
    public let kind: Kind
    /// OpenSSL's number for it (`X509_V_ERR_…`).
    public let code: Int
    /// One line for a person, printable ASCII only: `certificate expired on 2024-01-01`.
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

internal import Glibc

/// Why the certificate authority cannot be used: one line that says what to do about it.
public struct CertificateAuthorityError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of trouble.
    public enum Kind: Sendable, Hashable {
        /// A file or directory is open to others, belongs to another user, or is not what it
        /// should be.
        case unsafeFile
        /// A file cannot be read or written.
        case inputOutput
        /// A file does not hold what it should.
        case unreadable
        /// The key is not the certificate's, or the certificate not what is configured.
        case mismatch
        /// The certificate is not valid now.
        case expired
        /// Key or signature are too weak for clients to accept.
        case weak
    }

    /// What kind of trouble.
    public let kind: Kind
    /// The file or directory it is about.
    public let path: String
    /// One line for a person, beginning with the path.
    public let message: String

    init(_ kind: Kind, _ path: String, _ what: String) {
        self.kind = kind
        self.path = path
        message = "\(path): \(what)"
    }

    /// An error of the system, from `errno`.
    static func inputOutput(_ path: String, _ what: String) -> CertificateAuthorityError {
        CertificateAuthorityError(
            .inputOutput, path, "\(what): \(String(cString: strerror(errno)))")
    }

    /// The message.
    public var description: String { message }
}

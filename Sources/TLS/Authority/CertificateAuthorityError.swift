internal import Glibc
internal import ProxydSystem

/// Why the CA cannot be used, with a one-line message that says what to do about it.
public struct CertificateAuthorityError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of error.
    public enum Kind: Sendable, Hashable {
        /// A file or directory is accessible to others, belongs to another user, or has the wrong
        /// type.
        case unsafeFile
        /// A file cannot be read or written.
        case inputOutput
        /// A file has invalid content.
        case unreadable
        /// The key does not match the certificate, or the certificate does not match the
        /// configuration.
        case mismatch
        /// The certificate is not valid now.
        case expired
        /// Key or signature are too weak for clients to accept.
        case weak
    }

    /// The kind of error.
    public let kind: Kind
    /// The file or directory that caused the error.
    public let path: String
    /// A one-line message for the user, starting with the path.
    public let message: String

    init(_ kind: Kind, _ path: String, _ what: String) {
        self.kind = kind
        self.path = path
        message = "\(path): \(what)"
    }

    /// The problem with the path to the CA.
    init(_ problem: PathOwnership.Problem) {
        let reason = problem.error.map { ": \($0)" } ?? ""
        self.init(
            problem.error == nil ? .unsafeFile : .inputOutput, problem.path,
            problem.description + reason)
    }

    /// An error of the system, from `errno`.
    static func inputOutput(_ path: String, _ what: String) -> CertificateAuthorityError {
        CertificateAuthorityError(
            .inputOutput, path, "\(what): \(String(cString: strerror(errno)))")
    }

    /// The message.
    public var description: String { message }
}

internal import Glibc

/// Why a stream, a listener or a connection attempt failed.
public struct StreamError: Error, Sendable, Hashable {
    /// The kind of a failure.
    public enum Kind: String, Sendable, Hashable {
        /// The peer reset the connection, or closed it while we were still sending.
        case reset
        /// No one listens at the address.
        case refused
        /// No answer arrived in time.
        case timedOut
        /// There is no route to the address.
        case unreachable
        /// The system has no descriptors, memory or ports left.
        case exhausted
        /// The address is used by another program.
        case addressInUse
        /// The system does not permit the operation.
        case notPermitted
        /// TLS failed; see the message.
        case security
        /// Any other error; see `errorNumber`.
        case other
    }

    /// The kind of the failure.
    public let kind: Kind
    /// The system's errno; 0 if the system did not report the failure.
    public let errorNumber: Int32
    /// A one-line message for the user.
    public let message: String

    /// Creates an error with its own message.
    public init(kind: Kind, message: String, errorNumber: Int32 = 0) {
        self.kind = kind
        self.message = message
        self.errorNumber = errorNumber
    }

    /// Creates an error from an errno, with the system's message.
    public init(errorNumber: Int32) {
        self.errorNumber = errorNumber
        kind = StreamError.kind(of: errorNumber)
        message = String(cString: strerror(errorNumber))
    }

    private static func kind(of errorNumber: Int32) -> Kind {
        switch errorNumber {
        case ECONNRESET, EPIPE, ECONNABORTED: .reset
        case ECONNREFUSED: .refused
        case ETIMEDOUT: .timedOut
        case ENETUNREACH, EHOSTUNREACH, ENETDOWN, EHOSTDOWN, EAFNOSUPPORT: .unreachable
        case EMFILE, ENFILE, ENOBUFS, ENOMEM, EAGAIN: .exhausted
        case EADDRINUSE, EADDRNOTAVAIL: .addressInUse
        case EACCES, EPERM: .notPermitted
        default: .other
        }
    }
}

extension StreamError: CustomStringConvertible {
    /// The error's message.
    public var description: String { message }
}

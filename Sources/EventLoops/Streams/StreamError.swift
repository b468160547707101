internal import Glibc

/// Why a stream, a listener or a connection attempt failed.
public struct StreamError: Error, Sendable, Hashable {
    /// What kind of failure it is.
    public enum Kind: String, Sendable, Hashable {
        /// The peer reset the connection, or closed it while we were still sending.
        case reset
        /// Nobody listens at the address.
        case refused
        /// No answer in time.
        case timedOut
        /// There is no way to the address.
        case unreachable
        /// The system has no descriptors, memory or ports left for it.
        case exhausted
        /// The address is used by another program.
        case addressInUse
        /// The system does not permit it.
        case notPermitted
        /// TLS failed; the message says how.
        case security
        /// Anything else; `errorNumber` tells.
        case other
    }

    /// What kind of failure it is.
    public let kind: Kind
    /// The system's errno; 0 where there is none.
    public let errorNumber: Int32
    /// One line for a person.
    public let message: String

    /// A failure with words of its own.
    public init(kind: Kind, message: String, errorNumber: Int32 = 0) {
        self.kind = kind
        self.message = message
        self.errorNumber = errorNumber
    }

    /// A failure that the system reported.
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
    /// The message.
    public var description: String { message }
}

public import Glibc

/// The error of a failed system call.
public struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The value of `errno`.
    public let number: Int32

    /// Creates an error from `errno`, which the failed call has just set.
    public init(number: Int32 = errno) { self.number = number }

    /// The system's message: `No space left on device`.
    public var description: String { String(cString: strerror(number)) }
}

public import Glibc

/// What a call of the system failed with.
public struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
    /// `errno`.
    public let number: Int32

    /// The failure of the call before.
    public init(number: Int32 = errno) { self.number = number }

    /// As the system words it: `No space left on device`.
    public var description: String { String(cString: strerror(number)) }
}

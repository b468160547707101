/// Why a command failed, in words for a person and a kind for a program.
public struct ControlError: Error, Sendable, Hashable, Codable, CustomStringConvertible {
    /// What kind of failure it is; names are part of the protocol.
    public enum Kind: String, Sendable, Hashable, Codable {
        /// Nobody listens on the socket.
        case notRunning
        /// A daemon listens there already.
        case alreadyRunning
        /// The other side's user, or the socket's owner or kind, is not acceptable.
        case notPermitted
        /// No answer in time.
        case timedOut
        /// The connection ended, or the daemon dropped a subscriber that did not keep up.
        case closed
        /// A line is no message of this protocol, or too long.
        case badMessage
        /// The filter has a mistake; `column` says where.
        case badFilter
        /// The rules would have mistakes; the message has a line for each.
        case badRules
        /// There is no such exchange.
        case notFound
        /// Someone else has claimed the hold; the message says who.
        case taken
        /// The message is not held any more; the message says why.
        case notHeld
        /// What a held message is to become makes no message; the message says why.
        case badEdit
        /// The daemon could not do it; the message says why.
        case failed
        /// An operating-system call failed.
        case system
    }

    /// What kind it is.
    public var kind: Kind
    /// One line for a person.
    public var message: String
    /// The column of a mistake in a filter, counted from 1 in characters.
    public var column: Int?

    /// An error.
    public init(_ kind: Kind, _ message: String, column: Int? = nil) {
        self.kind = kind
        self.message = message
        self.column = column
    }

    /// The message.
    public var description: String { message }
}

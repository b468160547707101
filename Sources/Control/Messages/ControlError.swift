/// Why a command failed: a kind for programs and a readable message.
public struct ControlError: Error, Sendable, Hashable, Codable, CustomStringConvertible {
    /// The kind of failure; the names are part of the protocol.
    public enum Kind: String, Sendable, Hashable, Codable {
        /// No process listens on the socket.
        case notRunning
        /// Another daemon already listens on the socket.
        case alreadyRunning
        /// The other side's user, or the socket's owner or type, is not acceptable.
        case notPermitted
        /// There was no answer in time.
        case timedOut
        /// The connection ended, or the daemon dropped a subscriber that was too slow.
        case closed
        /// A line is not a message of this protocol, or is too long.
        case badMessage
        /// The filter has a mistake; `column` is its position.
        case badFilter
        /// The rules would contain mistakes; the message has a line for each.
        case badRules
        /// The exchange or file does not exist.
        case notFound
        /// Another client has claimed the hold; the message names it.
        case taken
        /// The message is no longer held; the message says why.
        case notHeld
        /// The edited parts do not form a valid message; the message says why.
        case badEdit
        /// The daemon could not carry out the command; the message says why.
        case failed
        /// A system call failed.
        case system
    }

    /// The kind of failure.
    public var kind: Kind
    /// One readable line.
    public var message: String
    /// The column of a mistake in a filter, counted from 1 in characters.
    public var column: Int?

    /// Creates an error.
    public init(_ kind: Kind, _ message: String, column: Int? = nil) {
        self.kind = kind
        self.message = message
        self.column = column
    }

    /// The message.
    public var description: String { message }
}

public import FoundationEssentials

/// A client's command about held messages. A hold is identified by its number.
public enum HoldCommand: Sendable, Hashable, Codable {
    /// A part of a held message.
    public enum Part: String, Sendable, Hashable, Codable {
        /// The head as text; a request's first line contains the whole URL.
        case head
        /// The content without content codings.
        case body
    }

    /// Subscribes to holds: rules hold messages while a subscribed connection is open; with a
    /// filter, only those that it selects. Answered by `done`, then by the events of all holds,
    /// with the same id.
    case subscribe(filter: String?)
    /// Lists the held messages; answered by `ControlResult.holds`. With a filter, only those that
    /// it selects.
    case list(filter: String?)
    /// Reads a piece of a part, at most `ControlLimits.holdPieceByteCountMax` bytes; answered by
    /// `ControlResult.bytes`.
    case read(hold: Int64, part: Part, offset: Int)
    /// Tells others that the hold is being handled by `name`. Answered by `done`, or the error
    /// `taken`.
    case claim(hold: Int64, name: String)
    /// Writes a piece of a part's replacement. A piece at offset 0 starts again. Answered by
    /// `done`.
    case write(hold: Int64, part: Part, offset: Int, bytes: Data)
    /// Resumes the message, edited if `isEdited`, otherwise unchanged; then applies actions in the
    /// format of rules: `set header:X-A=1`. Answered by `done`.
    case resume(hold: Int64, isEdited: Bool, actions: [String])
    /// Answers the client with the head and body that were written. Answered by `done`.
    case answer(hold: Int64)
    /// Closes the client's connection without a response. Answered by `done`.
    case drop(hold: Int64)
    /// Resumes all messages that a filter selects, or all if it is nil; answered by `affected`.
    case resumeAll(filter: String?)

    /// The JSON keys of `write`; `octets` stays for compatibility with other versions.
    private enum WriteCodingKeys: String, CodingKey {
        case hold, part, offset
        case bytes = "octets"
    }
}

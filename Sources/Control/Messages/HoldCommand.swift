public import Foundation

/// What a client asks about held messages. One hold is named by its number.
public enum HoldCommand: Sendable, Hashable, Codable {
    /// A part of a held message.
    public enum Part: String, Sendable, Hashable, Codable {
        /// Its head as text; a request's first line has the whole URL.
        case head
        /// Its content, before content codings.
        case body
    }

    /// Take holds: rules hold messages while a connection is open that has asked for this; with
    /// a filter only what that selects. Answered by `done`, then by the events about all holds, of
    /// the same id.
    case subscribe(filter: String?)
    /// What is held; answered by `ControlResult.holds`. With a filter only what it selects.
    case list(filter: String?)
    /// A piece of a part, at most `ControlLimits.holdPieceByteCountMax` bytes; answered by
    /// `ControlResult.octets`.
    case read(hold: Int64, part: Part, offset: Int)
    /// Tell others that it is being decided about; `name` is what they are told. Answered by
    /// `done`, or the error `taken`.
    case claim(hold: Int64, name: String)
    /// Write a piece of what a part is to become. One at 0 begins anew. Answered by `done`.
    case write(hold: Int64, part: Part, offset: Int, octets: Data)
    /// Let it go on: as it was written where `isEdited`, else as it was; then actions are done to
    /// it, as a rule has them: `set header:X-A=1`. Answered by `done`.
    case resume(hold: Int64, isEdited: Bool, actions: [String])
    /// Answer the client with the head and body that were written. Answered by `done`.
    case answer(hold: Int64)
    /// End the client's connection without an answer. Answered by `done`.
    case drop(hold: Int64)
    /// Let everything go on that a filter selects, everything where it is nil; answered by
    /// `affected`.
    case resumeAll(filter: String?)
}

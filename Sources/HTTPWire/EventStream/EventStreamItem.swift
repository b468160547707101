/// The position of one item in an event stream; its contents are parsed by `ServerSentEvent`.
public struct EventStreamItem: Sendable, Hashable {
    /// The kind of an item.
    public enum Kind: Sendable, Hashable {
        /// Lines up to a blank one that include data: an event that clients dispatch.
        case event
        /// Lines up to a blank one without data, which are not an event but may set `id` and
        /// `retry`.
        case fields
        /// A line that starts with a colon.
        case comment
    }

    /// The kind of the item.
    public let kind: Kind
    /// Its lines, as a range of the stream's bytes: without the blank line after them, and without
    /// the end of the last line, part of which may not have arrived if it is CR LF.
    public let range: Range<Int64>
    /// The fields that occur in the item.
    public let fields: EventStreamFields
    /// Whether the item is complete. An incomplete event is not dispatched.
    public let isFinished: Bool

    init(
        _ kind: Kind, from start: Int64, to end: Int64, fields: EventStreamFields = [],
        isFinished: Bool = true
    ) {
        self.kind = kind
        range = Range(uncheckedBounds: (start, max(start, end)))
        self.fields = fields
        self.isFinished = isFinished
    }
}

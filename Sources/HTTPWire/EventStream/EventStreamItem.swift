/// One thing in an event stream: where it is, not what it says, which `ServerSentEvent` reads.
public struct EventStreamItem: Sendable, Hashable {
    /// What it is.
    public enum Kind: Sendable, Hashable {
        /// Lines up to a blank one, with data among them: what a client dispatches.
        case event
        /// Lines up to a blank one without data, which is no event: it may set `id` and `retry`.
        case fields
        /// A line that begins with a colon.
        case comment
    }

    /// What it is.
    public let kind: Kind
    /// Its lines, as bytes of the stream from its start: without the blank line behind them and
    /// without the end of the last one, which may be still to come where it is CR LF.
    public let range: Range<Int64>
    /// Which fields are in it.
    public let fields: EventStreamFields
    /// Whether the stream went on to its end. An event that it does not finish is not dispatched.
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

public import ProxydHTTPModel

/// One thing that a decoder found in its input.
public enum Decoded<Head: Sendable>: Sendable {
    /// All input was taken; more octets or the connection's end are needed.
    case needsMoreInput
    /// An interim response, 1xx but 101 (RFC 9110 §15.2).
    case informational(Head)
    /// The head of a message, and how its body ends.
    case head(Head, BodyLength)
    /// Body octets after transfer-coding: a range of the input that was passed in, never empty.
    case body(Range<Int>)
    /// Trailer fields; never empty (RFC 9110 §6.5).
    case trailers(HeaderFields)
    /// The message is complete.
    case end
}

public import ProxydHTTPModel

/// One item that a decoder found in its input.
public enum Decoded<Head: Sendable>: Sendable {
    /// All input was consumed; more bytes or the end of the connection are needed.
    case needsMoreInput
    /// An interim response: 1xx other than 101 (RFC 9110 §15.2).
    case informational(Head)
    /// The head of a message, and the framing of its body.
    case head(Head, BodyLength)
    /// Body bytes without transfer coding: a non-empty range of the input.
    case body(Range<Int>)
    /// Trailer fields; never empty (RFC 9110 §6.5).
    case trailers(HeaderFields)
    /// The message is complete.
    case end
}

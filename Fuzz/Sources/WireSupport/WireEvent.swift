public import ProxydHTTPModel
public import ProxydHTTPWire

/// What a decoder said; body bytes that came one after the other are joined, so that it does not
/// matter how the input was cut.
public enum WireEvent<Head: Sendable & Hashable>: Hashable {
    case informational(Head)
    case head(Head, BodyLength)
    case body([UInt8])
    case trailers(HeaderFields)
    case end
    case failed(WireError)
    /// Bytes that were not taken, because they belong to a tunnel.
    case left(byteCount: Int)
}

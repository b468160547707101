public import ProxydHTTPModel

/// One request on its way and its response on its way back. Asked by one task at a time, in this
/// order: `head()`, then `next(atLeast:)` until it gives nil or throws.
public protocol TransportCall: AnyObject, Sendable {
    /// Waits for the final response's head.
    func head() async throws(ClientError) -> ResponseHead
    /// Waits for bytes of the body, transfer-coding removed: at least as many as asked for, fewer
    /// only at the end or where a buffer is full. Nil behind the last. While no one asks, little
    /// more is read from the server.
    func next(atLeast byteCount: Int) async throws(ClientError) -> [UInt8]?
    /// What is known so far; final once `next` gave nil or something threw.
    var report: TransportReport { get }
    /// Gives the call up. Whoever waits for it gets `.explicitlyCancelled`. Nothing happens where
    /// the response is complete. May be called by anybody.
    func cancel()
}

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
    /// Sends bytes to a server that has switched protocols, in one piece, and waits until there is
    /// room for more. To be called once the head is there; pieces go in the order of the calls.
    /// - Throws: `.unsupported` where nothing was switched, or why the connection is gone.
    func send(_ octets: [UInt8]) async throws(ClientError)
    /// The same for what is short and few: waits for nothing, and is silent about what went wrong.
    func post(_ octets: [UInt8])
    /// Ends a connection that has switched protocols: what was handed over is still sent. The call
    /// is then complete.
    func close()
    /// Gives the call up. Whoever waits for it gets `.explicitlyCancelled`. Nothing happens where
    /// the response is complete. May be called by anybody.
    func cancel()
}

extension TransportCall {
    /// What a call does that knows nothing of switching protocols.
    /// - Throws: `.unsupported`.
    public func send(_ octets: [UInt8]) async throws(ClientError) {
        throw ClientError(
            .unsupported, phase: .send, message: "the transport does not switch protocols")
    }

    /// Sends nothing.
    public func post(_ octets: [UInt8]) {}

    /// Gives the call up.
    public func close() { cancel() }
}

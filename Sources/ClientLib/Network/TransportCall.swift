public import ProxydHTTPModel

/// One request in progress and its response. Only one task at a time may use it, in this order:
/// `head()`, then `next(atLeast:)` until it returns nil or throws.
public protocol TransportCall: AnyObject, Sendable {
    /// Waits for the final response's head.
    func head() async throws(ClientError) -> ResponseHead
    /// Waits for bytes of the body, without transfer coding: at least the requested number, fewer
    /// only at the end or when a buffer is full. Nil after the last. While no task asks, little
    /// more is read from the server.
    func next(atLeast byteCount: Int) async throws(ClientError) -> [UInt8]?
    /// What is known so far; final once `next` has returned nil or a method has thrown.
    var report: TransportReport { get }
    /// Sends bytes in one piece to a server that has switched protocols, and waits until there is
    /// room for more. Call it only after the head has arrived; pieces are sent in the order of the
    /// calls.
    /// - Throws: `.unsupported` if there was no switch, or why the connection ended.
    func send(_ bytes: [UInt8]) async throws(ClientError)
    /// The same for short, infrequent messages: does not wait, and reports no errors.
    func post(_ bytes: [UInt8])
    /// Ends a connection that has switched protocols, after sending what was passed on. The call is
    /// then complete.
    func close()
    /// Cancels the call; waiting tasks get `.explicitlyCancelled`. Has no effect if the response is
    /// complete. May be called on any thread.
    func cancel()
}

extension TransportCall {
    /// The default for calls that do not support switching protocols.
    /// - Throws: `.unsupported`.
    public func send(_ bytes: [UInt8]) async throws(ClientError) {
        throw ClientError(
            .unsupported, phase: .send, message: "the transport does not switch protocols")
    }

    /// Sends nothing.
    public func post(_ bytes: [UInt8]) {}

    /// Cancels the call.
    public func close() { cancel() }
}

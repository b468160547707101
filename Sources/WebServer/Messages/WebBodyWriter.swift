/// Sends the pieces of a response's body. Used on the handler's thread only.
public struct WebBodyWriter: Sendable {
    let send: @Sendable ([UInt8]) throws -> Void

    /// Sends a piece; waits while the client reads too slowly. Throws if the client has left.
    public func write(_ bytes: [UInt8]) throws {
        guard !bytes.isEmpty else { return }
        try send(bytes)
    }
}

/// The client has left before the response was complete.
struct ClientLeft: Error {}

public import HTTPModel

/// Sends requests, by the client library.
public protocol Replaying: Sendable {
    /// Sends a request and records it, linked to the exchange it repeats. Returns the number of
    /// the new row, which is in the store then. Throws what a person is told.
    /// - Parameters:
    ///   - original: The exchange it repeats; nil for a request of its own.
    ///   - isExact: The octets as they were sent then, nothing regenerated.
    ///   - isCancelled: Asked while waiting.
    func send(
        _ request: Request, repeating original: ExchangeID?, isExact: Bool,
        isCancelled: @Sendable () -> Bool
    ) throws -> ExchangeID
}

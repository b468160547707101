/// One caller's share of a provider's request.
public struct CancellableToken: Sendable {
    let flight: TargetFlight
    let id: Int

    /// Whether this caller cancelled.
    public var isCancelled: Bool { flight.hasLeft(id) }

    /// Cancels for this caller, who gets `.explicitlyCancelled`. The request itself is cancelled
    /// when no caller is left.
    public func cancel() { flight.leave(id) }
}

/// One caller's share in a request of a provider.
public struct CancellableToken: Sendable {
    let flight: TargetFlight
    let id: Int

    /// Whether this caller gave it up.
    public var isCancelled: Bool { flight.hasLeft(id) }

    /// Gives it up: this caller gets `.explicitlyCancelled`. The request itself is cancelled when
    /// no one is left who waits for it.
    public func cancel() { flight.leave(id) }
}

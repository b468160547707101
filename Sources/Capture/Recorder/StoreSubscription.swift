internal import ProxydCaptureModel

/// A subscription to a recorder's changes; ends when it is cancelled or released.
public final class StoreSubscription: Sendable {
    private let shared: RecorderShared
    private let number: Int

    init(_ shared: RecorderShared, _ onChange: @escaping @Sendable (StoreChange) -> Void) {
        self.shared = shared
        number = shared.subscribe(onChange)
    }

    deinit { cancel() }

    /// Ends the subscription; a call that is already in progress may still arrive.
    public func cancel() { shared.unsubscribe(number) }
}

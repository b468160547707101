internal import ProxydCaptureModel

/// Following a recorder's changes; ends when it is cancelled or nobody holds it any more.
public final class StoreSubscription: Sendable {
    private let shared: RecorderShared
    private let number: Int

    init(_ shared: RecorderShared, _ onChange: @escaping @Sendable (StoreChange) -> Void) {
        self.shared = shared
        number = shared.subscribe(onChange)
    }

    deinit { cancel() }

    /// Ends it; a call that is on its way may still come.
    public func cancel() { shared.unsubscribe(number) }
}

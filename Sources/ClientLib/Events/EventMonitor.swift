/// Receives the events of a session's requests, or of one request. Called on the thread where the
/// event happens, so it must return quickly.
public protocol EventMonitor: Sendable {
    /// Called for each event of a request.
    func on(_ event: RequestEvent, for request: any ClientRequest)
}

extension EventMonitor {
    /// The listener that passes one request's events to the monitor. The request keeps the
    /// listener, so the listener must not keep the request.
    func listener(for request: any ClientRequest) -> @Sendable (RequestEvent) -> Void {
        { [weak request] event in
            if let request { on(event, for: request) }
        }
    }
}

/// A monitor that calls a closure.
public struct ClosureEventMonitor: EventMonitor {
    private let closure: @Sendable (RequestEvent, any ClientRequest) -> Void

    /// Creates a monitor that calls `closure`.
    public init(_ closure: @escaping @Sendable (RequestEvent, any ClientRequest) -> Void) {
        self.closure = closure
    }

    /// Passes the event to the closure.
    public func on(_ event: RequestEvent, for request: any ClientRequest) {
        closure(event, request)
    }
}

/// Hears everything that happens to the requests of a session, or to one request. Called on the
/// threads where things happen: be quick.
public protocol EventMonitor: Sendable {
    /// Something happened.
    func on(_ event: RequestEvent, for request: any ClientRequest)
}

extension EventMonitor {
    /// Tells the monitor of one request. The request keeps what this gives, so that must not keep
    /// the request.
    func listener(for request: any ClientRequest) -> @Sendable (RequestEvent) -> Void {
        { [weak request] event in
            if let request { on(event, for: request) }
        }
    }
}

/// A monitor made of a closure.
public struct ClosureEventMonitor: EventMonitor {
    private let closure: @Sendable (RequestEvent, any ClientRequest) -> Void

    /// A monitor that calls `closure`.
    public init(_ closure: @escaping @Sendable (RequestEvent, any ClientRequest) -> Void) {
        self.closure = closure
    }

    /// Something happened.
    public func on(_ event: RequestEvent, for request: any ClientRequest) {
        closure(event, request)
    }
}

/// Hears everything that happens to the requests of a session, or to one request. Called on the
/// threads where things happen: be quick.
public protocol EventMonitor: Sendable {
    /// Something happened.
    func on(_ event: RequestEvent, for request: any ClientRequest)
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

/// How requests leave and responses come: the one seam for the network, stubs and taps.
///
/// A transport knows nothing of retries, redirects, cookies or sessions: it sends one head and one
/// body, and gives one response.
public protocol ClientTransport: Sendable {
    /// Begins to send a request. Never waits; what goes wrong is told by the call.
    func start(_ request: TransportRequest) -> any TransportCall
    /// Ends everything: calls fail, connections close. Called once, when nothing more is started.
    func shutdown()
}

/// Sends requests and receives responses: the interface that the network, stubs and recorders
/// implement.
///
/// A transport knows nothing of retries, redirects, cookies or sessions: it sends one head and one
/// body, and returns one response.
public protocol ClientTransport: Sendable {
    /// Starts sending a request. Never blocks; the call reports errors.
    func start(_ request: TransportRequest) -> any TransportCall
    /// Ends all calls and closes all connections. Called once, when nothing more is started.
    func shutdown()
}

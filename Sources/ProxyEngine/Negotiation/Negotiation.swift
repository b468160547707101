internal import ProxydEventLoops
internal import ProxydHTTPModel

/// How a client has said which server its connection is to lead to, and hears whether it does.
/// CONNECT is one way; each other one speaks its own words. Confined to its loop.
protocol Negotiation {
    /// The host that was named.
    var host: String { get }
    /// The port that was named.
    var port: UInt16 { get }

    /// Opens a record of what was asked.
    func openTap(on connection: ClientConnection, worker: ProxyWorker) -> ExchangeTap
    /// Tells the client that the server is reached: what it sends from now on is for the server.
    func establish(_ client: any DuplexStream)
    /// Notes in the record that the client was told so.
    func recordEstablished(in tap: ExchangeTap)
    /// Tells the client why the server is not reached, and notes it in the record.
    func refuse(_ client: any DuplexStream, _ refusal: Refusal, recordingIn tap: ExchangeTap)
}

/// Why a client is not led to a server.
enum Refusal {
    /// It could not be reached, or may not be.
    case failure(ExchangeFailure)
    /// An actor answers in its place.
    case answer(ExchangeAnswer)
}

internal import ProxydEventLoops
internal import ProxydHTTPModel

/// How a client names the server that its connection should lead to, and learns whether it does.
/// CONNECT is one way; each other protocol has its own messages. Confined to its loop.
protocol Negotiation {
    /// The host that the client named.
    var host: String { get }
    /// The port that the client named.
    var port: UInt16 { get }

    /// Whose names count for what is sent in the tunnel.
    var naming: TunnelNaming { get }

    /// Whether the client may be told that the tunnel is established before its server is reached.
    var mayBeEstablishedEarly: Bool { get }

    /// Opens the record of the request for a tunnel.
    func openTap(on connection: ClientConnection, worker: ProxyWorker) -> ExchangeTap
    /// Tells the client that the tunnel is established: what it sends from now on goes to the
    /// server.
    func establish(_ client: any DuplexStream)
    /// Records the answer that `establish` sends.
    func recordEstablished(in tap: ExchangeTap)
    /// Tells the client why there is no tunnel, and records the answer.
    func refuse(_ client: any DuplexStream, _ refusal: Refusal, recordingIn tap: ExchangeTap)
}

extension Negotiation {
    var naming: TunnelNaming { .byNegotiation }
    var mayBeEstablishedEarly: Bool { true }
}

/// Whose names count for what is sent in a tunnel. They never decide where it leads.
enum TunnelNaming {
    /// The host that was negotiated is the name of the server.
    case byNegotiation
    /// Only an address was negotiated: the server has the name that the client uses in TLS, or in
    /// its requests.
    case byClient
}

/// Why a client gets no tunnel.
enum Refusal {
    /// The server could not be reached, or connecting to it is not allowed.
    case failure(ExchangeFailure)
    /// An actor answers instead.
    case answer(ExchangeAnswer)
}

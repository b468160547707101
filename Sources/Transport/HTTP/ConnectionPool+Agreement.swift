internal import ProxydEventLoops
internal import ProxydHTTPModel

/// What a server speaks, found out before anything is sent to it.
extension ConnectionPool {
    /// What a server speaks, where that is known: a connection to it stands, or did not long ago.
    func spoken(by target: ConnectTarget) -> SpokenProtocol? {
        hasShared(target) ? .http2 : memory.spoken(by: target, now: loop.now)
    }

    /// A server was found to want HTTP/1.1.
    func noteHTTP1(_ target: ConnectTarget) { memory.note(.http1, by: target, now: loop.now) }

    /// Makes a connection, over a plain one where that stands, and says what is spoken on it. One
    /// of HTTP/2 waits in the pool for those who want it; one of HTTP/1 is handed over.
    func agree(
        on target: ConnectTarget, over plain: EstablishedConnection?,
        completion: @escaping (Result<AgreedConnection, ExchangeFailure>) -> Void
    ) -> any Cancellable {
        let deadline = loop.now &+ options.connectTimeoutNs
        let done: (Result<EstablishedConnection, ExchangeFailure>) -> Void = { [weak self] in
            guard let self else { return }
            completion($0.map { self.agreed($0, target) })
        }
        guard let plain, plain.early.isEmpty else {
            plain?.stream.abort()
            return connector.connect(to: target, deadlineNs: deadline, completion: done)
        }
        return connector.secure(plain, for: target, deadlineNs: deadline, completion: done)
    }

    private func agreed(
        _ established: EstablishedConnection, _ target: ConnectTarget
    ) -> AgreedConnection {
        guard established.speaksHTTP2(target) else {
            let spoken = SpokenProtocol(alpn: established.security?.alpn)
            memory.note(spoken, by: target, now: loop.now)
            return AgreedConnection(spoken: spoken, unused: established)
        }
        offer(established, ConnectionKey(target: target, owner: .shared))
        return AgreedConnection(spoken: .http2, unused: nil)
    }
}

/// What came of asking a server what it speaks.
public struct AgreedConnection {
    /// What it speaks.
    public let spoken: SpokenProtocol
    /// The connection on which it said so, unused; nil where the transport has it.
    public let unused: EstablishedConnection?
}

internal import ProxydEventLoops
internal import ProxydHTTPModel

/// What a server speaks, found out before anything is sent to it.
extension ConnectionPool {
    /// What a server speaks, where that is known: a connection to it stands, or did not long ago.
    func spoken(by target: ConnectTarget) -> SpokenProtocol? {
        hasShared(target) ? .http2 : memory.spoken(by: target, now: loop.now)
    }

    /// A server that takes HTTP/2 was found to want HTTP/1.1.
    func noteHTTP1(_ target: ConnectTarget) {
        memory.note(.http1, by: target, now: loop.now)
        memory.note(takesExtendedConnect: false, by: target)
    }

    /// A connection shows what its server speaks.
    func note(_ established: EstablishedConnection, to target: ConnectTarget) {
        guard target.mayBeShared else { return }
        let isHTTP2 = established.speaksHTTP2(target)
        memory.note(
            isHTTP2 ? .http2 : SpokenProtocol(alpn: established.security?.alpn), by: target,
            now: loop.now)
        if !isHTTP2 { tellWhoWaits(for: target) }
    }

    // MARK: Extended CONNECT

    /// Whether a server can be asked for another protocol; nil where it is not known.
    func extendedConnect(by target: ConnectTarget) -> ExtendedConnectSupport? {
        memory.extendedConnect(by: target, now: loop.now)
    }

    /// The settings of a server of HTTP/2 came.
    func note(takesExtendedConnect: Bool, by target: ConnectTarget) {
        memory.note(takesExtendedConnect: takesExtendedConnect, by: target)
        if takesExtendedConnect { tellWhoWaits(for: target) }
    }

    private func tellWhoWaits(for target: ConnectTarget) {
        for tell in extendedConnectWatch.take(target) { tell() }
    }

    /// Takes in a connection that stands to a server of which it is known that it speaks HTTP/2, so
    /// that its settings are heard before anything is asked of it. Where no connection may be idle,
    /// it stays with who has it.
    func open(_ prepared: PreparedConnection, to target: ConnectTarget) {
        let key = ConnectionKey(target: target, owner: .shared)
        guard target.hasPriorKnowledge, hasRoomForIdle(key), let established = prepared.take()
        else { return }
        guard established.stream.isOpen else { return established.stream.abort() }
        offer(established, key)
    }

    // MARK: Agreement

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
            note(established, to: target)
            return AgreedConnection(
                spoken: SpokenProtocol(alpn: established.security?.alpn), unused: established)
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

internal import ProxydEventLoops
internal import ProxydHTTPModel

/// Finding out which protocol a server speaks before anything is sent to it.
extension ConnectionPool {
    /// The protocol that a server speaks, if there is, or recently was, a connection to it.
    func spoken(by target: ConnectTarget) -> SpokenProtocol? {
        hasShared(target) ? .http2 : memory.spoken(by: target, now: loop.now)
    }

    /// A server that accepted HTTP/2 turned out to require HTTP/1.1.
    func noteHTTP1(_ target: ConnectTarget) {
        memory.note(.http1, by: target, now: loop.now)
        note(takesExtendedConnect: false, by: target)
    }

    /// Remembers the protocol that a new connection revealed.
    func note(_ established: EstablishedConnection, to target: ConnectTarget) {
        guard target.mayBeShared else { return }
        let isHTTP2 = established.speaksHTTP2(target)
        memory.note(
            isHTTP2 ? .http2 : SpokenProtocol(alpn: established.security?.alpn), by: target,
            now: loop.now)
        if !isHTTP2 { tellWhoWaits(for: target, isUsable: true) }
    }

    // MARK: Extended CONNECT

    /// Whether a server supports extended CONNECT; nil if that is unknown.
    func extendedConnect(by target: ConnectTarget) -> ExtendedConnectSupport? {
        target.mayBeShared ? memory.extendedConnect(by: target, now: loop.now) : .byUpgrade
    }

    /// The settings of an HTTP/2 server arrived.
    func note(takesExtendedConnect: Bool, by target: ConnectTarget) {
        memory.note(takesExtendedConnect: takesExtendedConnect, by: target)
        tellWhoWaits(for: target, isUsable: takesExtendedConnect)
    }

    private func tellWhoWaits(for target: ConnectTarget, isUsable: Bool) {
        for tell in answerWatch.take(target) { tell() }
        guard isUsable else { return }
        for tell in extendedConnectWatch.take(target) { tell() }
    }

    /// Adds to the pool an established connection to a server known to speak HTTP/2, so that its
    /// settings arrive before any request is sent. If the pool has no room for another idle
    /// connection, the caller keeps it.
    func open(_ prepared: PreparedConnection, to target: ConnectTarget) {
        let key = ConnectionKey(target: target, owner: .shared)
        guard target.hasPriorKnowledge, hasRoomForIdle(key), let established = prepared.take()
        else { return }
        guard established.stream.isOpen else { return established.stream.abort() }
        offer(established, key)
    }

    // MARK: Agreement

    /// Makes a connection, over a plain one if given, and reports its protocol. An HTTP/2
    /// connection is put in the pool for later requests; an HTTP/1 connection is returned.
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

/// The result of asking a server for its protocol.
public struct AgreedConnection {
    /// The protocol that the server speaks.
    public let spoken: SpokenProtocol
    /// The unused connection that revealed it; nil if the transport's pool has it.
    public let unused: EstablishedConnection?
}

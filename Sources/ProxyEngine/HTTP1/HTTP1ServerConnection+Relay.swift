internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydTransport

/// What the machine of an exchange calls.
extension HTTP1ServerConnection {
    /// Whether connections are no longer kept alive because the proxy is stopping.
    var isStopping: Bool { isDraining || worker.isDraining }

    /// Whether every byte of the current request has arrived.
    var isRequestComplete: Bool {
        if case .responding = state { true } else { false }
    }

    /// Whether the client of a request with a body has sent only its head.
    var isBodyAwaited: Bool {
        if case .receiving = state { isBodyUntouched } else { false }
    }

    /// The whole response has been sent to the client.
    func exchangeEnded(keepsAlive: Bool) {
        guard keepsAlive, isRequestComplete, !isStopping, !hasClientEnded || !held.isEmpty else {
            return close()
        }
        becomeIdle()
        if !held.isEmpty { pump() }
    }

    /// The server answered 417, which was forwarded to the client. Some clients then send the
    /// request again without the expectation (curl), others send the body nevertheless (Go): only
    /// the former can continue.
    func expectationFailed(_ head: RequestHead) {
        guard isBodyAwaited, !isStopping, !hasClientEnded else { return close() }
        decoder = RequestDecoder(limits: worker.configuration.wireLimits)
        unmetExpectation = UnmetExpectation(head)
        becomeIdle()
    }

    /// Resets the connection: only a reset can show the client that its response is incomplete.
    func abort() {
        leave()
        stream.flush()
        stream.abort()
    }

    /// The credentials in this exchange authenticate the connection to a server: it belongs to this
    /// client alone from now on, and when one of the two connections ends, so does the other.
    func bind(to target: ConnectTarget) {
        affinity.onBoundLost = { [weak self] in self?.drain() }
        affinity.bind(to: target)
    }

    /// If the recorder has no room, stops reading from the client until it has, even if the
    /// exchange that noticed it ends earlier. Returns whether the recorder had no room.
    func pauseForRecorder() -> Bool {
        guard worker.isRecorderCongested else { return false }
        guard !pauseReasons.contains(.recorder) else { return true }
        setPaused(.recorder, true)
        worker.whenRecorderDrains { [weak self] in self?.recorderDrained() }
        return true
    }

    private func recorderDrained() {
        setPaused(.recorder, false)
        switch state {
        case .receiving(let machine), .responding(let machine): machine.recorderDrained()
        case .waiting: if !held.isEmpty { pump() }
        case .admitting, .refusing, .handedOver, .closing: break
        }
    }

    /// Pauses reading from the client for a reason, or removes that reason.
    func setPaused(_ reason: PauseReasons, _ isPaused: Bool) {
        let isToPause = pauseReasons.set(reason, isPaused)
        guard isReading else { return }
        if let isToPause { isToPause ? stream.pauseReading() : stream.resumeReading() }
        // These pauses may last until a person decides.
        if !pauseReasons.isDisjoint(with: [.undecided, .pipelined]) { stream.watchForEnd() }
    }

    /// Lets another layer read on, beginning with `early` and what is held.
    func handOver(to layer: any ClientLayer, early: [UInt8] = []) {
        state = .handedOver
        worker.transport.release(affinity)
        let unread = Unread(bytes: early + held, hasEnded: hasClientEnded)
        held = []
        if !pauseReasons.isEmpty { stream.resumeReading() }
        worker.clients.replace(self, with: layer, over: stream, unread: unread)
    }

    func becomeIdle() {
        state = .waiting
        request = nil
        user = nil
        waitingSince = worker.now
        ownDeadline = waitingSince &+ worker.configuration.idleTimeoutNs
        // The server that was too slow to take the body has answered nevertheless.
        setPaused(.slowPeer, false)
    }
}

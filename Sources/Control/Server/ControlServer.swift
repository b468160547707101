internal import ProxydCaptureModel
public import ProxydEventLoops
internal import ProxydHTTPModel
internal import Glibc
internal import Synchronization

/// The daemon's side of the control socket, on one event loop.
///
/// Its members may be called on any thread; all work happens on the loop.
public final class ControlServer: Sendable {
    private let loop: EventLoop
    private let dataDirectory: String
    private let sessions: Mutex<LoopBound<ControlSessions>?>

    /// Creates the socket in the data directory and starts serving it. The caller holds the store's
    /// lock, so a socket without a listener there is stale.
    public init(
        dataDirectory: String, on loop: EventLoop, handler: any ControlHandler
    ) throws(ControlError) {
        let descriptor = try ControlSocket.listen(inDirectory: dataDirectory)
        let socket: ListeningSocket
        do {
            socket = try ListeningSocket(adopting: descriptor)
        } catch {
            throw ControlError(.system, "control socket: \(error.message)")
        }
        self.loop = loop
        self.dataDirectory = dataDirectory
        sessions = Mutex(nil)
        loop.execute {
            let sessions = ControlSessions(socket: socket, loop: loop, handler: handler)
            self.sessions.withLock { $0 = LoopBound(sessions, loop: loop) }
        }
    }

    /// Sends an event to all clients that take holds. The limit on waiting bytes applies here too.
    public func publish(toHolders event: ControlEvent) {
        onLoop { $0.publish(event, to: \.holdSubscription) }
    }

    /// Sends an event to every subscriber. One that is too slow is dropped: no other waits.
    public func publish(_ event: ControlEvent) {
        onLoop { $0.publish(event, to: \.subscription) }
    }

    /// Closes all connections and removes the socket.
    public func stop() {
        ControlSocket.remove(inDirectory: dataDirectory)
        onLoop { $0.stop() }
    }

    private func onLoop(_ body: @escaping @Sendable (ControlSessions) -> Void) {
        loop.execute {
            guard let sessions = self.sessions.withLock({ $0 }) else { return }
            body(sessions.value)
        }
    }
}

/// All connections of a control server. Loop-confined.
final class ControlSessions {
    private let handler: any ControlHandler
    private var listener: Listener?
    private var lastID = ControlClientID(rawValue: 0)
    private var open: [ObjectIdentifier: ControlSession] = [:]

    init(socket: ListeningSocket, loop: EventLoop, handler: any ControlHandler) {
        self.handler = handler
        let listener = Listener(socket: socket, on: loop) { [weak self] in self?.accept($0) }
        self.listener = listener
        listener.start()
    }

    /// Sends an event to all subscribers; it is written as JSON once per subscription number.
    func publish(_ event: ControlEvent, to subscription: (ControlSession) -> Int64?) {
        var lines: [Int64: [UInt8]] = [:]
        for session in open.values {
            guard let id = subscription(session) else { continue }
            if lines[id] == nil {
                lines[id] = try? ControlCoding.line(ControlReply(id: id, event: event))
            }
            if let line = lines[id] { session.sendEvent(line) }
        }
    }

    func stop() {
        listener?.stop()
        listener = nil
        for session in open.values { session.close() }
        open = [:]
    }

    private func accept(_ stream: SocketStream) {
        lastID = ControlClientID(rawValue: lastID.rawValue + 1)
        let session = ControlSession(stream, as: lastID, handler: handler) { [weak self] in
            self?.open[ObjectIdentifier($0)] = nil
        }
        guard let peer = stream.peerCredentials,
            ControlPermission.mayControl(user: peer.userID, daemonUser: geteuid())
        else {
            return session.refuse(
                ControlError(.notPermitted, "this daemon belongs to another user"))
        }
        guard open.count < ControlLimits.connectionCountMax else {
            return session.refuse(ControlError(.failed, "too many control connections"))
        }
        open[ObjectIdentifier(session)] = session
        stream.delegate = session
    }
}

/// One client of the control server: reads requests, writes replies. Confined to its loop.
final class ControlSession: DuplexStreamDelegate {
    private let stream: any DuplexStream
    private let client: ControlClientID
    private let handler: any ControlHandler
    private let onEnd: (ControlSession) -> Void
    private var splitter = LineSplitter()
    private var pendingRequestCount = 0
    private var isEnded = false
    private var isInputEnded = false
    private var isReadingPaused = false
    /// The number of the request that subscribed, or nil if there is none.
    private(set) var subscription: Int64?
    /// The number of the request that takes holds, or nil if there is none.
    private(set) var holdSubscription: Int64?
    /// The one before it, which stays if the new one is refused.
    private var formerHoldSubscription: Int64?

    init(
        _ stream: any DuplexStream, as client: ControlClientID, handler: any ControlHandler,
        onEnd: @escaping (ControlSession) -> Void
    ) {
        self.stream = stream
        self.client = client
        self.handler = handler
        self.onEnd = onEnd
    }

    /// Sends the reason for refusing the client, and closes.
    func refuse(_ error: ControlError) {
        send(ControlReply(id: 0, outcome: .failure(error)))
        close()
    }

    /// Closes after everything written has been sent.
    func close() {
        guard !isEnded else { return }
        isEnded = true
        stream.close()
        leave()
    }

    /// Sends an event's line, or drops the client if too much is waiting already.
    func sendEvent(_ line: [UInt8]) {
        guard !isEnded else { return }
        guard stream.queuedByteCount + line.count <= ControlLimits.backlogByteCountMax else {
            return drop()
        }
        stream.write(line)
    }

    /// Drops a client that does not read.
    private func drop() {
        isEnded = true
        stream.abort()
        leave()
    }

    private func leave() {
        onEnd(self)
        handler.clientLeft(client)
    }

    // MARK: Stream

    func stream(_ stream: any DuplexStream, didReceive bytes: Span<UInt8>) {
        do throws(ControlError) {
            for line in try splitter.receive(bytes) where !isEnded { receive(line) }
        } catch {
            refuse(error)
        }
    }

    func streamDidReachEnd(_ stream: any DuplexStream, isClean: Bool) {
        isInputEnded = true
        if pendingRequestCount == 0 { close() }
    }

    func streamDidDrain(_ stream: any DuplexStream) { pauseWhereBusy() }

    func stream(_ stream: any DuplexStream, didFail error: StreamError) {
        guard !isEnded else { return }
        isEnded = true
        leave()
    }

    // MARK: Requests

    /// The number of a request whose command cannot be decoded.
    private struct Numbered: Decodable {
        let id: Int64
    }

    private func receive(_ line: [UInt8]) {
        do throws(ControlError) {
            let request = try ControlCoding.message(ControlRequest.self, from: line)
            begin()
            perform(request)
        } catch {
            guard let numbered = try? ControlCoding.message(Numbered.self, from: line) else {
                return refuse(error)
            }
            send(ControlReply(id: numbered.id, outcome: .failure(error)))
        }
    }

    private func perform(_ request: ControlRequest) {
        let id = request.id
        switch request.command {
        case .status: handler.status(completion: completion(id) { .status(report: $0) })
        case .commit: handler.commit(completion: completion(id) { .done })
        case .serverRules:
            handler.serverRules(completion: completion(id) { .serverRules(rules: $0) })
        case .rules: handler.rules(completion: completion(id) { .rules(rules: $0) })
        case .reloadRules: handler.reloadRules(completion: completion(id) { .rules(rules: $0) })
        case .changeRules(let change):
            handler.changeRules(change, completion: completion(id) { .rules(rules: $0) })
        case .clear(let filter):
            handler.clear(filter: filter, completion: completion(id, Self.affected))
        case .annotate(let change):
            handler.annotate(change, completion: completion(id, Self.affected))
        case .noteDelivery(let progress): noteDelivery(id, progress)
        case .addProtoFile(let file):
            handler.addProtoFile(file, completion: completion(id) { .done })
        case .removeProtoFile(let name):
            handler.removeProtoFile(named: name, completion: completion(id) { .done })
        case .takeIdentifiers(let exchangeCount, let connectionCount):
            finish(id, takeIdentifiers(exchangeCount, connectionCount))
        case .importExchanges(let connections, let updates):
            handler.importExchanges(
                connections: connections, updates: updates, completion: completion(id) { .done })
        case .subscribe:
            subscription = id
            finish(id, .success(.done))
        case .hold(let command):
            // Before the answer: a message may be held immediately.
            if case .subscribe = command {
                (formerHoldSubscription, holdSubscription) = (holdSubscription, id)
            }
            handler.hold(command, for: client, completion: completion(id) { $0 })
        case .toggleInterception(let host, let port):
            handler.toggleInterception(
                ofHost: host, port: port,
                completion: completion(id) { .interception(isOpened: $0) })
        case .guardAddress(let ip, let port):
            handler.guardAddress(
                ip: ip, port: port, for: client, completion: completion(id) { .done })
        case .setRecording(let isOn):
            handler.setRecording(isOn, completion: completion(id) { .done })
        }
    }

    private static func affected(_ count: Int) -> ControlResult { .affected(exchangeCount: count) }

    private func takeIdentifiers(
        _ exchangeCount: Int, _ connectionCount: Int
    ) -> Result<ControlResult, ControlError> {
        let allowed = 0...ControlLimits.identifierCountMax
        guard allowed.contains(exchangeCount), allowed.contains(connectionCount) else {
            return .failure(ControlError(.badMessage, "too many numbers in one request"))
        }
        let exchanges = (0..<exchangeCount).map { _ in handler.nextExchangeID().rawValue }
        let connections = (0..<connectionCount).map { _ in handler.nextConnectionID().rawValue }
        return .success(.identifiers(exchanges: exchanges, connections: connections))
    }

    private func noteDelivery(_ id: Int64, _ progress: DeliveryProgress) {
        guard progress.through >= 0, progress.changesThrough >= 0 else {
            return finish(id, .failure(ControlError(.badMessage, "there are no such numbers")))
        }
        handler.noteDelivery(progress, completion: completion(id) { .done })
    }

    // MARK: Answers

    /// What a handler calls at a command's end, on any thread: the answer is sent on the loop.
    private func completion<Value>(
        _ id: Int64, _ result: @escaping @Sendable (Value) -> ControlResult
    ) -> ControlCompletion<Value> {
        let session = LoopBound(self, loop: stream.loop)
        return { outcome in
            let outcome = outcome.map(result)
            session.loop.execute { session.value.finish(id, outcome) }
        }
    }

    private func begin() {
        pendingRequestCount += 1
        pauseWhereBusy()
    }

    private func finish(_ id: Int64, _ outcome: Result<ControlResult, ControlError>) {
        pendingRequestCount -= 1
        if case .failure = outcome, holdSubscription == id {
            holdSubscription = formerHoldSubscription
        }
        send(ControlReply(id: id, outcome: outcome))
        pauseWhereBusy()
        if isInputEnded, pendingRequestCount == 0 { close() }
    }

    /// Sends an answer, of whatever size, unless too much waits already: what one reading brought
    /// may ask for more than a pause could keep back.
    private func send(_ reply: ControlReply) {
        guard !isEnded, let line = try? ControlCoding.line(reply) else { return }
        guard stream.queuedByteCount <= ControlLimits.backlogByteCountMax else { return drop() }
        stream.write(line)
    }

    /// Reads no more requests while many are worked on, or while their answers are not read.
    private func pauseWhereBusy() {
        let isBusy =
            pendingRequestCount >= ControlLimits.pendingRequestCountMax || stream.isCongested
        guard !isEnded, isBusy != isReadingPaused else { return }
        isReadingPaused = isBusy
        if isBusy { stream.pauseReading() } else { stream.resumeReading() }
    }
}

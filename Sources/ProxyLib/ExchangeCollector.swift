internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import Synchronization

/// Puts exchanges together from the updates about them, and passes these on to a recorder.
final class ExchangeCollector: ExchangeSink {
    /// With more connections, those that have not been used for longest are forgotten, unless a
    /// running exchange uses them.
    static let connectionCountMax = 4_096

    private struct State {
        var open: [ExchangeID: ExchangeUpdate] = [:]
        /// Each with the turn at which it was made, or an exchange over it ended.
        var connections: [ConnectionID: (record: ConnectionRecord, turn: Int)] = [:]
        var turn = 0
        var forgetsAt = ExchangeCollector.connectionCountMax

        mutating func keep(_ connection: ConnectionRecord) {
            turn += 1
            connections[connection.id] = (connection, turn)
            guard connections.count > forgetsAt else { return }
            let used = Set(open.values.flatMap { [$0.clientConnection, $0.serverConnection] })
            let unused = connections.filter { !used.contains($0.key) }
            for (id, _) in unused.sorted(by: { $0.value.turn < $1.value.turn })
                .prefix(connections.count / 2)
            {
                connections[id] = nil
            }
            // If many are in use, they are not searched again for each new one.
            forgetsAt = max(ExchangeCollector.connectionCountMax, connections.count * 2)
        }

        mutating func use(_ id: ConnectionID?) -> ConnectionRecord? {
            guard let id, let record = connections[id]?.record else { return nil }
            turn += 1
            connections[id] = (record, turn)
            return record
        }
    }

    private let recorder: (any ExchangeSink)?
    private let onExchange: (@Sendable (Exchange) -> Void)?
    private let state = Mutex(State())
    private let lastExchange = Atomic<Int64>(0)
    private let lastConnection = Atomic<Int64>(0)

    init(recorder: (any ExchangeSink)?, onExchange: (@Sendable (Exchange) -> Void)?) {
        self.recorder = recorder
        self.onExchange = onExchange
    }

    func nextExchangeID() -> ExchangeID {
        recorder?.nextExchangeID()
            ?? ExchangeID(rawValue: lastExchange.wrappingAdd(1, ordering: .relaxed).newValue)
    }

    func nextConnectionID() -> ConnectionID {
        recorder?.nextConnectionID()
            ?? ConnectionID(rawValue: lastConnection.wrappingAdd(1, ordering: .relaxed).newValue)
    }

    func record(_ update: consuming ExchangeUpdate) {
        if let onExchange, let exchange = collect(update) { onExchange(exchange) }
        recorder?.record(update)
    }

    func record(_ connection: ConnectionRecord) {
        if onExchange != nil { state.withLock { $0.keep(connection) } }
        recorder?.record(connection)
    }

    var isCongested: Bool { recorder?.isCongested ?? false }

    func whenDrained(_ resume: @escaping @Sendable () -> Void) {
        if let recorder { recorder.whenDrained(resume) } else { resume() }
    }

    /// Adds an update to what is known of its exchange, which is returned if this was the last one.
    private func collect(_ update: ExchangeUpdate) -> Exchange? {
        var update = update
        // They grow for as long as a WebSocket is open.
        update.messages = []
        update.frames = []
        return state.withLock { state in
            if var earlier = state.open.removeValue(forKey: update.id) {
                earlier.merge(update)
                update = earlier
            }
            guard update.state != .active else {
                state.open[update.id] = update
                return nil
            }
            var exchange = Exchange(update)
            exchange.client = state.use(update.clientConnection)
            exchange.server = state.use(update.serverConnection)
            return exchange
        }
    }
}

extension Exchange {
    /// Creates an exchange from all updates about it, except for its connections.
    fileprivate init(_ update: ExchangeUpdate) {
        var request = Request(
            url: update.url, head: update.requestHead, body: Body(update.requestBody),
            trailers: update.requestTrailers)
        request.malformedCodings = update.malformedCodings
        request.keepsForeignHost = update.keepsForeignHost
        request.sentHead = update.requestHeadSent.flatMap {
            try? HeadParser.parseRequestHead($0, limits: WireLimits())
        }
        var (sentHead, isWithheld): (ResponseHead?, Bool) = (nil, false)
        var (requestPieces, responsePieces): ([[UInt8]], [[UInt8]]) = ([], [])
        for event in update.events {
            switch event {
            case .sentRequestBody(let piece): requestPieces.append(piece)
            case .sentResponseBody(let piece): responsePieces.append(piece)
            case .sentResponseHead(let bytes):
                sentHead = try? HeadParser.parseResponseHead(bytes, limits: WireLimits())
            case .responseWithheld: isWithheld = true
            // Here, no rules act.
            case .appliedRule, .tagged: break
            }
        }
        let sentLength = request.sentHead?.fields.value(.contentLength).flatMap { Int64($0) }
        request.sentBody = Body(pieces: requestPieces, byteCount: sentLength)
        var response: Response?
        if let head = update.responseHead ?? sentHead {
            response = Response(
                head: head, body: Body(update.responseBody), trailers: update.responseTrailers)
            response?.sentHead = sentHead
            response?.sentBody = Body(
                pieces: responsePieces, byteCount: update.sentResponseByteCount)
            response?.isWithheld = isWithheld
            response?.body.isAbandoned = update.isResponseAbandoned
        }
        self.init(
            id: update.id, state: update.state, request: request, response: response,
            informational: update.informational, timeline: update.timeline,
            failure: update.failure, upgradedTo: update.upgradedTo)
        responseFault = update.responseFault
        user = update.user
        http2 = update.http2
    }
}

extension Body {
    fileprivate init(_ progress: ExchangeUpdate.BodyProgress) {
        self.init(byteCount: progress.byteCount, kept: progress.appended)
    }

    /// Creates a body that was sent in another form than it arrived; nil if there are no pieces.
    /// - Parameter byteCount: Its length, if more of it was sent than was kept.
    fileprivate init?(pieces: [[UInt8]], byteCount: Int64?) {
        guard !pieces.isEmpty else { return nil }
        let kept = Array(pieces.joined())
        self.init(byteCount: max(Int64(kept.count), byteCount ?? 0), kept: kept)
    }
}

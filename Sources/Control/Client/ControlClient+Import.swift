public import ProxydHTTPModel

extension ControlClient {
    /// Reserves the next numbers, ascending; at most `identifierCountMax` of each kind.
    public func takeIdentifiers(
        exchangeCount: Int, connectionCount: Int
    ) throws(ControlError) -> (exchanges: [ExchangeID], connections: [ConnectionID]) {
        let command = ControlCommand.takeIdentifiers(
            exchangeCount: exchangeCount, connectionCount: connectionCount)
        guard case .identifiers(let exchanges, let connections) = try perform(command) else {
            throw Self.unexpected
        }
        return (
            exchanges.map(ExchangeID.init(rawValue:)), connections.map(ConnectionID.init(rawValue:))
        )
    }

    /// Stores connections and updates of exchanges; returns when they are committed.
    public func importExchanges(
        connections: [ConnectionRecord] = [], updates: [ExchangeUpdate]
    ) throws(ControlError) {
        // Their certificates may be long.
        let groups = try connections.grouped(byteCountMax: ControlLimits.lineByteCountMax / 2) {
            (connection) throws(ControlError) in try ControlCoding.line(connection).count
        }
        for group in groups { _ = try perform(.importExchanges(connections: group, updates: [])) }
        for update in updates {
            for piece in update.pieces(bodyByteCountMax: ControlLimits.bodyPieceByteCountMax) {
                _ = try perform(.importExchanges(connections: [], updates: [piece]))
            }
        }
    }

}

extension Array {
    /// Groups of at most `byteCountMax` bytes; a larger element gets a group of its own.
    fileprivate func grouped<Failure>(
        byteCountMax: Int, _ byteCount: (Element) throws(Failure) -> Int
    ) throws(Failure) -> [[Element]] {
        var groups: [[Element]] = []
        var sum = 0
        for element in self {
            let added = try byteCount(element)
            sum += added
            if groups.isEmpty || sum > byteCountMax {
                groups.append([])
                sum = added
            }
            groups[groups.count - 1].append(element)
        }
        return groups
    }
}

extension ExchangeUpdate {
    /// The update split into several that each fit one line of the protocol: bodies in pieces, the
    /// final state in the last. A single update if everything fits.
    func pieces(bodyByteCountMax: Int) -> [ExchangeUpdate] {
        let requestPieces = Self.cut(requestBody.appended, bodyByteCountMax)
        let responsePieces = Self.cut(responseBody.appended, bodyByteCountMax)
        let messagePieces = messages.grouped(byteCountMax: bodyByteCountMax) {
            $0.memoryByteCount + MemoryLayout<MessageRecord>.stride
        }
        let eventPieces = Self.cut(events, bodyByteCountMax).grouped(byteCountMax: bodyByteCountMax)
        {
            $0.byteCount + MemoryLayout<ExchangeEvent>.stride
        }
        guard
            requestPieces.count + responsePieces.count > 2
                || messagePieces.count > 1 || eventPieces.count > 1
        else { return [self] }
        var head = self
        head.state = .active
        head.failure = nil
        head.messages = []
        head.events = []
        head.requestBody = beginning(of: requestBody)
        head.responseBody = beginning(of: responseBody)
        var pieces = [head]
        // Each piece counts the bytes up to its own end: for the store, a higher count means a gap,
        // and nothing after a gap is kept.
        var later = bare
        later.requestBody = head.requestBody
        later.responseBody = head.responseBody
        for bytes in requestPieces {
            later.requestBody.appended = bytes
            later.requestBody.byteCount += Int64(bytes.count)
            pieces.append(later)
        }
        later.requestBody.appended = []
        for bytes in responsePieces {
            later.responseBody.appended = bytes
            later.responseBody.byteCount += Int64(bytes.count)
            pieces.append(later)
        }
        later.responseBody.appended = []
        for messages in messagePieces {
            later.messages = messages
            pieces.append(later)
        }
        later.messages = []
        for events in eventPieces {
            later.events = events
            pieces.append(later)
        }
        var last = bare
        last.state = state
        last.failure = failure
        last.requestBody.byteCount = requestBody.byteCount
        last.requestBody.isComplete = requestBody.isComplete
        last.responseBody.byteCount = responseBody.byteCount
        last.responseBody.isComplete = responseBody.isComplete
        return pieces + [last]
    }

    /// A body as it was before this update.
    private func beginning(of body: BodyProgress) -> BodyProgress {
        var beginning = BodyProgress()
        beginning.byteCount = isFirst ? 0 : max(0, body.byteCount - Int64(body.appended.count))
        return beginning
    }

    /// A later update of the same exchange, with its connections and timeline but without bodies.
    private var bare: ExchangeUpdate {
        var update = ExchangeUpdate(id: id, state: .active, timeline: timeline, isFirst: false)
        update.clientConnection = clientConnection
        update.serverConnection = serverConnection
        update.sentResponseByteCount = sentResponseByteCount
        update.isResponseAbandoned = isResponseAbandoned
        update.heldNs = heldNs
        return update
    }

    /// Splits events, with bodies in pieces.
    private static func cut(_ events: [ExchangeEvent], _ byteCountMax: Int) -> [ExchangeEvent] {
        events.flatMap { event in
            switch event {
            case .sentRequestBody(let bytes):
                cut(bytes, byteCountMax).map(ExchangeEvent.sentRequestBody)
            case .sentResponseBody(let bytes):
                cut(bytes, byteCountMax).map(ExchangeEvent.sentResponseBody)
            case .sentResponseHead, .responseWithheld, .appliedRule, .tagged: [event]
            }
        }
    }

    private static func cut(_ bytes: [UInt8], _ byteCountMax: Int) -> [[UInt8]] {
        guard bytes.count > byteCountMax else { return [bytes] }
        return stride(from: 0, to: bytes.count, by: byteCountMax).map {
            Array(bytes[$0..<min($0 + byteCountMax, bytes.count)])
        }
    }
}

public import ProxydHTTPModel
internal import FoundationEssentials

/// `ExchangeUpdate` in the format of the control socket, with bytes as base64.
public struct UpdateMessage: Sendable, Hashable, Codable {
    var id: Int64
    var state: String
    var isFirst: Bool
    var clientConnection: Int64?
    var serverConnection: Int64?
    var url: URLMessage?
    var requestHead: HeadMessage?
    var malformedHead: Data?
    var malformedCodings: Data?
    var requestHeadSent: Data?
    var keepsForeignHost: Bool?
    var requestBody: BodyMessage
    var requestTrailers: FieldsMessage?
    var informational: [HeadMessage]
    var responseHead: HeadMessage?
    var responseBody: BodyMessage
    var sentResponseByteCount: Int64?
    var isResponseAbandoned: Bool?
    var heldNs: Int64?
    var responseTrailers: FieldsMessage?
    var responseFault: ResponseFaultMessage?
    var timeline: TimelineMessage
    var failure: FailureMessage?
    var upgradedTo: String?
    var replayOf: Int64?
    var http2: HTTP2Message?
    var frames: Data?
    var messages: [MessageMessage]?
    var events: [EventMessage]?
    var grpcStatus: Int64?
    var user: String?

    /// No exchange is held for longer: a century, in nanoseconds.
    private static let heldNsMax: Int64 = 3_155_760_000_000_000_000

    /// Creates a message from an update.
    public init(_ update: ExchangeUpdate) {
        id = update.id.rawValue
        state = update.state.rawValue
        isFirst = update.isFirst
        clientConnection = update.clientConnection?.rawValue
        serverConnection = update.serverConnection?.rawValue
        url = update.url.map(URLMessage.init)
        requestHead = update.requestHead.map(HeadMessage.init)
        malformedHead = update.malformedHead.map { Data($0) }
        malformedCodings = update.malformedCodings.map { Data($0.map(\.rawValue)) }
        requestHeadSent = update.requestHeadSent.map { Data($0) }
        keepsForeignHost = update.keepsForeignHost ? true : nil
        requestBody = BodyMessage(update.requestBody)
        requestTrailers = update.requestTrailers.map(FieldsMessage.init)
        informational = update.informational.map(HeadMessage.init)
        responseHead = update.responseHead.map(HeadMessage.init)
        responseBody = BodyMessage(update.responseBody)
        sentResponseByteCount = update.sentResponseByteCount
        isResponseAbandoned = update.isResponseAbandoned ? true : nil
        heldNs = update.heldNs > 0 ? update.heldNs : nil
        responseTrailers = update.responseTrailers.map(FieldsMessage.init)
        responseFault = update.responseFault.map(ResponseFaultMessage.init)
        timeline = TimelineMessage(update.timeline)
        failure = update.failure.map(FailureMessage.init)
        upgradedTo = update.upgradedTo
        replayOf = update.replayOf?.rawValue
        http2 = update.http2.map(HTTP2Message.init)
        frames = update.frames.isEmpty ? nil : Data(update.frames)
        messages = update.messages.isEmpty ? nil : update.messages.map(MessageMessage.init)
        events = update.events.isEmpty ? nil : update.events.map(EventMessage.init)
        grpcStatus = update.grpcStatus
        user = update.user
    }

    /// Converts the message back to an update; throws if it describes an impossible one.
    public func update() throws(ControlError) -> ExchangeUpdate {
        guard ControlLimits.importedNumbers.contains(id),
            let state = ExchangeState(rawValue: state)
        else {
            throw ControlError(.badMessage, "an imported update has no valid id or state")
        }
        var update = ExchangeUpdate(
            id: ExchangeID(rawValue: id), state: state, timeline: try timeline.timeline(),
            isFirst: isFirst)
        update.clientConnection = clientConnection.map(ConnectionID.init(rawValue:))
        update.serverConnection = serverConnection.map(ConnectionID.init(rawValue:))
        update.url = url?.url
        update.requestHead = try requestHead?.requestHead()
        update.malformedHead = malformedHead.map { [UInt8]($0) }
        update.malformedCodings = malformedCodings?.compactMap(FieldCoding.init(rawValue:))
        update.http2 = try http2?.facts()
        update.frames = frames.map { [UInt8]($0) } ?? []
        for message in messages ?? [] { update.messages.append(try message.record()) }
        for event in events ?? [] { update.events.append(try event.event()) }
        update.grpcStatus = grpcStatus
        update.user = user
        update.requestHeadSent = requestHeadSent.map { [UInt8]($0) }
        update.keepsForeignHost = keepsForeignHost ?? false
        update.requestBody = requestBody.progress
        update.requestTrailers = try requestTrailers?.fields()
        for head in informational { update.informational.append(try head.responseHead()) }
        update.responseHead = try responseHead?.responseHead()
        update.responseBody = responseBody.progress
        update.sentResponseByteCount = sentResponseByteCount.map {
            max(0, min($0, Body.byteCountMax))
        }
        update.isResponseAbandoned = isResponseAbandoned ?? false
        update.heldNs = max(0, min(heldNs ?? 0, UpdateMessage.heldNsMax))
        update.responseTrailers = try responseTrailers?.fields()
        update.responseFault = responseFault?.fault
        update.failure = try failure?.failure()
        update.upgradedTo = upgradedTo
        update.replayOf = replayOf.map(ExchangeID.init(rawValue:))
        return update
    }
}

/// `ExchangeUpdate.BodyProgress` in the format of the control socket.
struct BodyMessage: Sendable, Hashable, Codable {
    var appended: Data?
    var byteCount: Int64
    var isComplete: Bool

    init(_ progress: ExchangeUpdate.BodyProgress) {
        appended = progress.appended.isEmpty ? nil : Data(progress.appended)
        byteCount = progress.byteCount
        isComplete = progress.isComplete
    }

    var progress: ExchangeUpdate.BodyProgress {
        var progress = ExchangeUpdate.BodyProgress()
        progress.appended = appended.map { [UInt8]($0) } ?? []
        progress.byteCount = max(0, min(Body.byteCountMax, byteCount))
        progress.isComplete = isComplete
        return progress
    }
}

/// `MessageRecord` in the format of the control socket.
struct MessageMessage: Sendable, Hashable, Codable {
    var position: Int64
    var direction: Int64
    var kind: Int64
    var flags: Int64
    var offsetNs: Int64
    var byteCount: Int64
    var wireByteCount: Int64
    /// The message's offset in the body, or nil if `bytes` contains it.
    var bodyStart: Int64?
    var bytes: Data?
    var problem: String?

    /// The JSON keys; `octets` stays for compatibility with other versions.
    private enum CodingKeys: String, CodingKey {
        case bytes = "octets"
        case position, direction, kind, flags, offsetNs, byteCount, wireByteCount, bodyStart
        case problem
    }

    init(_ message: MessageRecord) {
        position = message.position
        direction = message.direction.rawValue
        kind = message.kind.rawValue
        flags = message.flags.rawValue
        offsetNs = message.offsetNs
        byteCount = message.byteCount
        wireByteCount = message.wireByteCount
        problem = message.problem
        switch message.content {
        case .bytes(let content): bytes = Data(content)
        case .body(let range): bodyStart = range.lowerBound
        }
    }

    /// Converts the message back to a record; throws if it describes an impossible one.
    func record() throws(ControlError) -> MessageRecord {
        guard let direction = MessageRecord.Direction(rawValue: direction),
            let kind = MessageRecord.Kind(rawValue: kind), position >= 0, byteCount >= 0,
            wireByteCount >= 0
        else { throw ControlError(.badMessage, "an imported message has no valid kind or length") }
        return MessageRecord(
            position: position, direction: direction, kind: kind, flags: .init(rawValue: flags),
            offsetNs: offsetNs, byteCount: byteCount, wireByteCount: wireByteCount,
            content: try content(), problem: problem)
    }

    private func content() throws(ControlError) -> MessageRecord.Content {
        guard let bodyStart else { return .bytes(bytes.map { [UInt8]($0) } ?? []) }
        let (end, isOver) = bodyStart.addingReportingOverflow(byteCount)
        guard bodyStart >= 0, !isOver else {
            throw ControlError(.badMessage, "an imported message is outside its body")
        }
        return .body(bodyStart..<end)
    }
}

/// `ExchangeEvent` in the format of the control socket; exactly one of the members is set.
struct EventMessage: Sendable, Hashable, Codable {
    /// `AppliedRule` in the format of the control socket.
    struct Rule: Sendable, Hashable, Codable {
        var rule: String
        var phase: String
        var outcome: String
        var detail: String?
        var holdStartNs: Int64?
        var holdNs: Int64?
    }

    var sentRequestBody: Data?
    var sentResponseHead: Data?
    var sentResponseBody: Data?
    var responseWithheld: Bool?
    var rule: Rule?
    var tag: String?

    init(_ event: ExchangeEvent) {
        switch event {
        case .sentRequestBody(let bytes): sentRequestBody = Data(bytes)
        case .sentResponseHead(let bytes): sentResponseHead = Data(bytes)
        case .sentResponseBody(let bytes): sentResponseBody = Data(bytes)
        case .responseWithheld: responseWithheld = true
        case .appliedRule(let applied):
            rule = Rule(
                rule: applied.rule, phase: applied.phase.rawValue, outcome: applied.outcome,
                detail: applied.detail, holdStartNs: applied.hold?.startNs,
                holdNs: applied.hold?.durationNs)
        case .tagged(let text): tag = text
        }
    }

    /// Converts the message back to an event; throws if it describes an impossible one.
    func event() throws(ControlError) -> ExchangeEvent {
        if let sentRequestBody { return .sentRequestBody([UInt8](sentRequestBody)) }
        if let sentResponseHead { return .sentResponseHead([UInt8](sentResponseHead)) }
        if let sentResponseBody { return .sentResponseBody([UInt8](sentResponseBody)) }
        if responseWithheld == true { return .responseWithheld }
        if let tag { return .tagged(tag) }
        guard let rule, let phase = AppliedRule.Phase(rawValue: rule.phase) else {
            throw ControlError(.badMessage, "an imported event has an unknown kind")
        }
        var applied = AppliedRule(
            rule: rule.rule, phase: phase, outcome: rule.outcome, detail: rule.detail)
        if let startNs = rule.holdStartNs, let durationNs = rule.holdNs {
            applied.hold = AppliedRule.Hold(startNs: startNs, durationNs: durationNs)
        }
        return .appliedRule(applied)
    }
}

/// `Timeline` in the format of the control socket: one offset for each moment, in the moments'
/// order.
struct TimelineMessage: Sendable, Hashable, Codable {
    var wallStart: Int64
    var start: Int64
    var connectionReused: Bool
    var offsets: [Int64?]

    init(_ timeline: Timeline) {
        wallStart = timeline.wallStart
        start = timeline.start
        connectionReused = timeline.connectionReused
        offsets = Moment.allCases.map { timeline[$0] }
    }

    func timeline() throws(ControlError) -> Timeline {
        guard offsets.count <= Moment.allCases.count else {
            throw ControlError(.badMessage, "an imported timeline has more moments than there are")
        }
        var timeline = Timeline(wallStart: wallStart, start: start)
        timeline.connectionReused = connectionReused
        for (moment, offset) in zip(Moment.allCases, offsets) { timeline[moment] = offset }
        return timeline
    }
}

/// `ExchangeFailure` in the format of the control socket.
struct FailureMessage: Sendable, Hashable, Codable {
    var origin: String
    var kind: String
    var message: String

    init(_ failure: ExchangeFailure) {
        origin = failure.origin.rawValue
        kind = failure.kind.rawValue
        message = failure.message
    }

    func failure() throws(ControlError) -> ExchangeFailure {
        guard let origin = ExchangeFailure.Origin(rawValue: origin),
            let kind = ExchangeFailure.Kind(rawValue: kind)
        else { throw ControlError(.badMessage, "an imported failure has an unknown kind") }
        return ExchangeFailure(origin: origin, kind: kind, message: message)
    }
}

/// `ResponseFault` in the format of the control socket.
struct ResponseFaultMessage: Sendable, Hashable, Codable {
    var refusedBytes: Data?
    var refusedReason: String?
    var repaired: [String]

    /// The JSON keys; `refusedOctets` stays for compatibility with other versions.
    private enum CodingKeys: String, CodingKey {
        case refusedBytes = "refusedOctets"
        case refusedReason, repaired
    }

    init(_ fault: ResponseFault) {
        refusedBytes = fault.refusal.map { Data($0.bytes) }
        refusedReason = fault.refusal?.reason
        repaired = fault.repairs
    }

    var fault: ResponseFault {
        ResponseFault(
            refusal: refusedReason.map {
                .init(bytes: refusedBytes.map { [UInt8]($0) } ?? [], reason: $0)
            },
            repairs: repaired)
    }
}

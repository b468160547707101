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

internal import ProxydContentCoding
public import ProxydHTTPModel
internal import ProxydHTTPWire

/// Finds the messages in a body as it passes: events of an event stream, or messages of gRPC,
/// gRPC-Web or Connect. Their content is not copied; each is reported as a range of the body.
///
/// Ranges refer to the body after its content codings, and the Base64 of grpc-web-text, have been
/// removed. Not thread-safe; confined to the loop of its exchange.
public final class BodyObserver {
    private enum Reader {
        case events(EventStreamReader)
        case calls(CallReader)
        /// Nothing is read any more, because the body does not match its announced format.
        case none
    }

    private let direction: MessageRecord.Direction
    private var uncoding: BodyUncoding
    private var reader: Reader
    /// The position at which the recorded part of the body ends; nil while all of it is recorded.
    private var keptEnd: Int64?
    private var byteCount: Int64 = 0
    /// The status code that gRPC-Web or Connect sent in the last message of the body.
    public private(set) var grpcStatus: Int64?

    /// Creates an observer for the body of a request, or nil if its type has no messages.
    public convenience init?(request head: borrowing RequestHead) {
        guard let line = head.fields.first(.contentType),
            let framing = MessageFraming(
                contentType: head.fields.bytes.span.extracting(line.valueRange))
        else { return nil }
        self.init(calls: framing, .toServer, head.fields)
    }

    /// Creates an observer for the body of a final response, or nil if its type has no messages.
    public convenience init?(response head: borrowing ResponseHead) {
        // The field is looked up only once, because almost all responses return here.
        guard let line = head.fields.first(.contentType) else { return nil }
        let type = head.fields.bytes.span.extracting(line.valueRange)
        if let framing = MessageFraming(contentType: type) {
            self.init(calls: framing, .toClient, head.fields)
        } else if EventStreamReader.isEventStream(type) {
            self.init(.toClient, .events(EventStreamReader()), head.fields)
        } else {
            return nil
        }
    }

    private convenience init(
        calls framing: MessageFraming, _ direction: MessageRecord.Direction, _ fields: HeaderFields
    ) {
        let reader = CallReader(framing, direction, encoding: framing.encoding(in: fields))
        self.init(direction, .calls(reader), fields, isBase64: framing == .grpcWebText)
    }

    private init(
        _ direction: MessageRecord.Direction, _ reader: Reader, _ fields: HeaderFields,
        isBase64: Bool = false
    ) {
        self.direction = direction
        self.reader = reader
        let codings = fields.values(named: "content-encoding").joined(separator: ",")
        uncoding = BodyUncoding(contentEncoding: codings, isBase64: isBase64)
    }

    /// Processes the next bytes of the body, without transfer coding, and passes the messages that
    /// end in them to `tell`.
    public func receive(_ bytes: Span<UInt8>, _ tell: (MessageRecord) -> Void) {
        if case .none = reader { return }
        let problem = uncoding.receive(bytes) { read($0, tell) }
        if let problem { giveUp(problem, tell) }
    }

    /// Called when the rest of the body is no longer recorded: messages that extend into it are
    /// marked as cut.
    public func keptPartEnded() { keptEnd = keptEnd ?? byteCount }

    /// Called when the body has ended: passes an unfinished message to `tell`. If either side cut
    /// the body short, that is not a protocol violation.
    public func finish(isCutShort: Bool, _ tell: (MessageRecord) -> Void) {
        if case .none = reader { return }
        let problem = uncoding.finish { read($0, tell) }
        finishReader(isCutShort: isCutShort, tell)
        if !isCutShort, let problem { pass(invalid(problem), tell) }
    }

    private func finishReader(isCutShort: Bool, _ tell: (MessageRecord) -> Void) {
        defer { reader = .none }
        switch reader {
        case .events(var events): pass(events.finish(isCutShort: isCutShort), tell)
        case .calls(let calls): pass(calls.finish(isCutShort: isCutShort), tell)
        case .none: return
        }
    }

    private func read(_ bytes: Span<UInt8>, _ tell: (MessageRecord) -> Void) {
        byteCount &+= Int64(bytes.count)
        switch reader {
        case .events(var events):
            reader = .none
            events.receive(bytes) { pass($0, tell) }
            reader = .events(events)
        case .calls(var calls):
            reader = .none
            calls.receive(bytes) { pass($0, tell) }
            grpcStatus = calls.status ?? grpcStatus
            reader = .calls(calls)
        case .none: return
        }
    }

    /// Stops reading because the rest of the body cannot be decoded.
    private func giveUp(_ problem: String, _ tell: (MessageRecord) -> Void) {
        finishReader(isCutShort: true, tell)
        pass(invalid(problem), tell)
    }

    private func invalid(_ problem: String) -> MessageRecord {
        MessageRecord(
            direction: direction, kind: .invalid, flags: .invalid, byteCount: 0,
            content: .bytes([]), problem: problem)
    }

    private func pass(_ message: MessageRecord?, _ tell: (MessageRecord) -> Void) {
        guard var message else { return }
        if let keptEnd, case .body(let range) = message.content, range.upperBound > keptEnd {
            message.flags.insert(.cut)
        }
        tell(message)
    }
}

extension MessageFraming {
    /// The name of the compression of its messages, or nil if the fields name none.
    fileprivate func encoding(in fields: HeaderFields) -> String? {
        switch self {
        case .grpc, .grpcWeb, .grpcWebText: fields["grpc-encoding"]
        case .connect: fields["connect-content-encoding"]
        }
    }
}

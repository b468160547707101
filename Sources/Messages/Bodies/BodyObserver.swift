internal import ProxydContentCoding
public import ProxydHTTPModel
internal import ProxydHTTPWire

/// Tells the messages in a body as it passes: events of an event stream, or messages of gRPC,
/// gRPC-Web or Connect. What they say is not copied, they are ranges of the body.
///
/// A range counts in the body without its content-coding, and without the base64 of
/// grpc-web-text. Not thread-safe; confined to the loop of its exchange.
public final class BodyObserver {
    private enum Reader {
        case events(EventStreamReader)
        case calls(CallReader)
        /// Nothing is read any more: what comes is not what was said to come.
        case none
    }

    private let direction: MessageRecord.Direction
    private var uncoding: BodyUncoding
    private var reader: Reader
    /// Where what is kept of the body ends; nil while all of it is.
    private var keptEnd: Int64?
    private var byteCount: Int64 = 0
    /// The number of the status that gRPC-Web or Connect sent as the last message of the body.
    public private(set) var grpcStatus: Int64?

    /// Observes the body of a request; nil where it has no messages.
    public convenience init?(request head: borrowing RequestHead) {
        guard let line = head.fields.first(.contentType),
            let framing = MessageFraming(
                contentType: head.fields.octets.span.extracting(line.valueRange))
        else { return nil }
        self.init(calls: framing, .toServer, head.fields)
    }

    /// Observes the body of a final response; nil where it has no messages.
    public convenience init?(response head: borrowing ResponseHead) {
        // Looked up once: nearly all responses end here.
        guard let line = head.fields.first(.contentType) else { return nil }
        let type = head.fields.octets.span.extracting(line.valueRange)
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

    /// Takes the next bytes of the body, after transfer-coding, and tells the messages that end in
    /// them.
    public func receive(_ bytes: Span<UInt8>, _ tell: (MessageRecord) -> Void) {
        if case .none = reader { return }
        let problem = uncoding.receive(bytes) { read($0, tell) }
        if let problem { giveUp(problem, tell) }
    }

    /// Of what comes from here on nothing is kept: messages that reach into it are cut.
    public func keptPartEnded() { keptEnd = keptEnd ?? byteCount }

    /// The body has ended: tells a message that it left unfinished. Where it was cut short, by
    /// whomever, that breaks no rule.
    public func finish(isCutShort: Bool, _ tell: (MessageRecord) -> Void) {
        defer { reader = .none }
        switch reader {
        case .events(var events): pass(events.finish(isCutShort: isCutShort), tell)
        case .calls(let calls): pass(calls.finish(isCutShort: isCutShort), tell)
        case .none: return
        }
        if !isCutShort, let problem = uncoding.problemAtEnd() { pass(invalid(problem), tell) }
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

    /// The rest of the body cannot be read.
    private func giveUp(_ problem: String, _ tell: (MessageRecord) -> Void) {
        finish(isCutShort: true, tell)
        pass(invalid(problem), tell)
    }

    private func invalid(_ problem: String) -> MessageRecord {
        MessageRecord(
            direction: direction, kind: .invalid, flags: .invalid, byteCount: 0,
            content: .octets([]), problem: problem)
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
    /// The name of what its messages are compressed with; nil where the fields name nothing.
    fileprivate func encoding(in fields: HeaderFields) -> String? {
        switch self {
        case .grpc, .grpcWeb, .grpcWebText: fields["grpc-encoding"]
        case .connect: fields["connect-content-encoding"]
        }
    }
}

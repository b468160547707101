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
    private var decoder: StreamingBodyDecoder
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
        decoder = StreamingBodyDecoder(contentEncoding: codings, isBase64: isBase64)
    }

    /// Processes the next bytes of the body, without transfer coding, and passes the messages that
    /// end in them to `tell`.
    public func receive(_ bytes: Span<UInt8>, _ tell: (MessageRecord) -> Void) {
        if case .none = reader { return }
        let problem = decoder.receive(bytes) { read($0, tell) }
        if let problem { giveUp(problem, tell) }
    }

    /// Called when the rest of the body is no longer recorded: messages that extend into it are
    /// marked as cut.
    public func keptPartEnded() { keptEnd = keptEnd ?? byteCount }

    /// Called when the body has ended: passes an unfinished message to `tell`. If either side cut
    /// the body short, that is not a protocol violation.
    public func finish(isCutShort: Bool, _ tell: (MessageRecord) -> Void) {
        if case .none = reader { return }
        let problem = decoder.finish { read($0, tell) }
        finishReader(isCutShort: isCutShort, tell)
        if !isCutShort, let problem { pass(.invalid(direction, problem), tell) }
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
        pass(.invalid(direction, problem), tell)
    }

    private func pass(_ message: MessageRecord?, _ tell: (MessageRecord) -> Void) {
        guard var message else { return }
        if let keptEnd, case .body(let range) = message.content, range.upperBound > keptEnd {
            message.flags.insert(.cut)
        }
        tell(message)
    }
}

extension MessageRecord {
    /// What makes the rest unreadable, in place of a message.
    public static func invalid(_ direction: Direction, _ problem: String) -> MessageRecord {
        MessageRecord(
            direction: direction, kind: .invalid, flags: .invalid, byteCount: 0,
            content: .bytes([]), problem: problem)
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

public struct MessageLimits: Sendable, Hashable {
    /// The maximum number of bytes kept of one message; the rest is only counted.
    public var keptByteCountMax: Int
    /// The maximum decompressed size of one message; the rest is ignored.
    public var inflatedByteCountMax: Int
    /// The maximum compression ratio once a message is larger than 1 MiB.
    public var inflationRatioMax: Int

    public init(
        keptByteCountMax: Int = 1 << 20, inflatedByteCountMax: Int = 64 << 20,
        inflationRatioMax: Int = 200
    ) {
        self.keptByteCountMax = keptByteCountMax
        self.inflatedByteCountMax = inflatedByteCountMax
        self.inflationRatioMax = inflationRatioMax
    }
}

/// Removes the content codings and the Base64 of a body while it is streamed. Memory use does not
/// grow with the decoded size, because the result is passed on piece by piece.
struct StreamingBodyDecoder {
    /// The maximum number of decoded bytes for one piece of the body, in addition to `ratioMax` for
    /// each of its bytes. This limits the time that a decompression bomb takes on the loop.
    private static let slackByteCount = 1 << 20
    private static let ratioMax = 200

    private enum Coding {
        case none
        case some(ContentDecoder)
        case refused(ContentCodingError)
    }

    private let coding: Coding
    private var base64: Base64Stream?

    init(contentEncoding: String, isBase64: Bool) {
        base64 = isBase64 ? Base64Stream() : nil
        guard !contentEncoding.isEmpty else {
            coding = .none
            return
        }
        do throws(ContentCodingError) {
            let limits = DecodingLimits(decodedByteCountMax: .max)
            coding = .some(try ContentDecoder(contentEncoding: contentEncoding, limits: limits))
        } catch {
            coding = .refused(error)
        }
    }

    /// Decodes the body's next bytes for `take`; returns what went wrong, or nil.
    mutating func receive(_ bytes: Span<UInt8>, _ take: (Span<UInt8>) -> Void) -> String? {
        switch coding {
        case .none: return receive(uncoded: bytes, take)
        case .refused(let error): return error.description
        case .some(let decoder):
            var room =
                bytes.count &* StreamingBodyDecoder.ratioMax &+ StreamingBodyDecoder.slackByteCount
            var problem: String?
            do throws(ContentCodingError) {
                try decoder.decode(bytes) { (piece) throws(ContentCodingError) in
                    room &-= piece.count
                    if room < 0 { throw .overLimit(decodedByteCount: decoder.decodedByteCount) }
                    problem = problem ?? receive(uncoded: piece, take)
                }
            } catch {
                return error.description
            }
            return problem
        }
    }

    /// Passes on what was kept back until it was clear whether the body is coded; returns what is
    /// wrong with the body if it ends here, or nil.
    mutating func finish(_ take: (Span<UInt8>) -> Void) -> String? {
        var problem: String?
        if case .some(let decoder) = coding {
            do throws(ContentCodingError) {
                try decoder.finish { (piece) throws(ContentCodingError) in
                    problem = problem ?? receive(uncoded: piece, take)
                }
            } catch {
                return error.description
            }
        }
        return problem ?? (base64?.isAtEndOfGroup == false ? "the base64 of the body is cut" : nil)
    }

    private mutating func receive(
        uncoded bytes: Span<UInt8>, _ take: (Span<UInt8>) -> Void
    ) -> String? {
        guard base64 != nil else {
            take(bytes)
            return nil
        }
        var decoded: [UInt8] = []
        base64?.decode(bytes, into: &decoded)
        take(decoded.span)
        return base64?.isInvalid == true ? "the body is not valid base64" : nil
    }
}

/// Finds the events and comments in an event stream (WHATWG HTML §9.2).
struct EventStreamReader {
    private var scanner = EventStreamScanner()

    static func isEventStream(_ value: Span<UInt8>) -> Bool {
        let type: StaticString = "text/event-stream"
        let count = type.utf8CodeUnitCount
        guard value.count >= count, ASCII.equalsIgnoringCase(value.extracting(0..<count), type)
        else { return false }
        guard value.count > count else { return true }
        return value[count] == UInt8(ascii: ";") || value[count] == 0x20 || value[count] == 0x09
    }

    mutating func receive(_ bytes: Span<UInt8>, _ tell: (MessageRecord) -> Void) {
        var offset = 0
        while let item = scanner.next(in: bytes, from: &offset) {
            tell(EventStreamReader.record(item))
        }
    }

    mutating func finish(isCutShort: Bool) -> MessageRecord? {
        guard let item = scanner.finish() else { return nil }
        var record = EventStreamReader.record(item)
        record.flags.insert(.unfinished)
        if !isCutShort, item.kind != .comment {
            record.problem = "the stream ended before the blank line, so it counts for nothing"
        }
        return record
    }

    /// Lines without data are not an event; they are reported as a comment.
    private static func record(_ item: EventStreamItem) -> MessageRecord {
        MessageRecord(
            direction: .toClient, kind: item.kind == .event ? .event : .comment,
            byteCount: item.range.upperBound &- item.range.lowerBound,
            content: .body(item.range), problem: problem(of: item))
    }

    private static func problem(of item: EventStreamItem) -> String? {
        guard item.kind == .fields, item.fields.contains(.event) else { return nil }
        return "it has no data, so it is no event"
    }
}

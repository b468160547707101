import ProxydHTTPModel

@testable import ProxydHTTPWire

/// A side of a connection whose peer is played by the test: what happened and what it sent, as
/// text.
struct HTTP2Side: ~Copyable {
    var connection: HTTP2Connection
    private(set) var events: [String] = []
    private(set) var error: HTTP2Error?
    /// Frames that it sent, since they were asked for last.
    private var sent: [UInt8] = []
    /// Decodes its field sections, in their order.
    private var decoder = HPACKDecoder(tableByteCountMax: 4_096)
    var now: Int64 = 0

    init(
        _ role: HTTP2Connection.Role, _ change: (inout HTTP2Connection.Options) -> Void = { _ in }
    ) {
        var options = HTTP2Connection.Options(role)
        change(&options)
        connection = HTTP2Connection(role, options: options)
        _ = frames()
    }

    var peerTakesExtendedConnect: Bool { connection.peerSettings.allowsExtendedConnect }
    var offersExtendedConnect: Bool { connection.offersExtendedConnect }

    /// A side that has greeted and was greeted.
    static func open(
        _ role: HTTP2Connection.Role, _ settings: [(UInt16, UInt32)] = []
    ) -> HTTP2Side {
        var side = HTTP2Side(role)
        side.take((role == .server ? Frames.preface : []) + Frames.settings(settings))
        side.take(Frames.frame(4, flags: 1))
        _ = side.takeEvents()
        _ = side.frames()
        return side
    }

    /// Gives it bytes; in pieces of a size, if one is given.
    mutating func take(_ bytes: [UInt8], pieces: Int = .max) {
        var start = 0
        while start < bytes.count, error == nil {
            let end = min(bytes.count, start + min(pieces, bytes.count))
            takePiece(Array(bytes[start..<end]))
            start = end
        }
    }

    private mutating func takePiece(_ piece: [UInt8]) {
        var offset = 0
        do {
            while true {
                let event = try connection.receive(piece.span, from: &offset, now: now)
                if case .needsMoreInput = event { return }
                note(event, piece)
            }
        } catch {
            self.error = error
        }
    }

    mutating func takeEvents() -> [String] {
        defer { events = [] }
        return events
    }

    private mutating func note(_ event: HTTP2Event, _ input: [UInt8]) {
        switch event {
        case .needsMoreInput: break
        case .request(let id, let head, let body):
            events.append("\(id) \(head.method) \(head.targetText) \(body)")
        case .informational(let id, let head): events.append("\(id) informational \(head.status)")
        case .response(let id, let head, let body):
            events.append("\(id) \(head.status) \(body)")
        case .body(let id, let range): noteBody(id, ASCII.text(input[range]))
        case .trailers(let id, let trailers): events.append("\(id) trailers \(trailers.pairs)")
        case .end(let id): events.append("\(id) end")
        case .malformed(let id, let message): events.append("\(id) malformed \(message.error.kind)")
        case .lostHead(let id, let message): events.append("\(id) lost \(message.error.kind)")
        case .reset(let id, let code, _): events.append("\(id) reset \(code)")
        case .unprocessed(let id, let code): events.append("\(id) unprocessed \(code)")
        case .goAway(let last, let code, _): events.append("goaway \(last) \(code)")
        case .settings: events.append("settings")
        case .priorityUpdate(let id, let value):
            events.append("\(id) priority \(ASCII.text(value))")
        }
    }

    /// Pieces of a body count as one.
    private mutating func noteBody(_ id: StreamID, _ text: String) {
        let start = "\(id) body "
        if let last = events.last, last.hasPrefix(start) {
            events[events.count - 1] = last + text
        } else {
            events.append(start + text)
        }
    }

    /// The frames that it has sent since this was asked last, as text.
    mutating func frames(_ byteCountMax: Int = .max) -> [String] {
        let bytes = connection.takeOutput(byteCountMax)
        var index = 0
        if bytes.starts(with: Frames.preface) { index = Frames.preface.count }
        var frames: [String] = []
        while index + FrameHeader.byteCount <= bytes.count {
            let header = FrameHeader(bytes.span.extracting(index..<(index + 9)))
            index += FrameHeader.byteCount
            frames.append(text(header, Array(bytes[index..<(index + header.length)])))
            index += header.length
        }
        return frames
    }

    private mutating func text(_ header: FrameHeader, _ payload: [UInt8]) -> String {
        let stream = header.stream
        let ends = header.flags.contains(.endStream) ? " end" : ""
        func number(_ index: Int) -> UInt32 { payload.span.bigEndian(at: index) }
        switch header.type {
        case .data: return "\(stream) DATA \(ASCII.text(payload))\(ends)"
        case .headers, .continuation:
            let name = header.type == .headers ? "HEADERS" : "CONTINUATION"
            guard header.type == .headers, header.flags.contains(.endHeaders) else {
                return "\(stream) \(name) \(payload.count)"
            }
            var block = FieldBlock.roomy
            try? decoder.decode(payload.span, into: &block)
            return "\(stream) HEADERS \(block.list.map(\.description))\(ends)"
        case .resetStream: return "\(stream) RST \(HTTP2ErrorCode(rawValue: number(0)))"
        case .settings: return header.flags.contains(.acknowledgement) ? "SETTINGS ack" : "SETTINGS"
        case .ping: return header.flags.contains(.acknowledgement) ? "PING ack" : "PING"
        case .goAway: return "GOAWAY \(number(0)) \(HTTP2ErrorCode(rawValue: number(4)))"
        case .windowUpdate: return "\(stream) WINDOW \(number(0))"
        default: return "\(stream) type \(header.type.rawValue)"
        }
    }
}

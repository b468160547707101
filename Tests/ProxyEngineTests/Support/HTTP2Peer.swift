import ProxydHTTPModel
import ProxydHTTPWire

@testable import ProxydProxyEngine

/// A client or a server that speaks HTTP/2 with the engine: the script says what it sends, and
/// what it gets is noted as text.
final class HTTP2Peer {
    var machine: HTTP2Connection
    private let stream: ScriptedStream
    private var readCount: Int
    private var events: [String] = []

    /// A peer that reads what is written from now on.
    init(
        _ role: HTTP2Connection.Role, on stream: ScriptedStream,
        takesExtendedConnect: Bool = false, streamCountMax: UInt32 = 100
    ) {
        var options = HTTP2Connection.Options(role)
        options.settings.allowsExtendedConnect = takesExtendedConnect
        if role == .server { options.settings.concurrentStreamCountMax = streamCountMax }
        machine = HTTP2Connection(role, options: options)
        self.stream = stream
        readCount = stream.written.count
    }

    /// Sends a frame of the connection, whatever it knows of such.
    func say(_ type: UInt8, _ payload: [UInt8]) {
        let header = [0, 0, UInt8(payload.count), type, 0, 0, 0, 0, 0]
        stream.receive(header + payload, pieceByteCount: .max)
    }

    /// Says good-bye to all streams, as one that acted on none of them.
    func refuseAll() { say(7, [0, 0, 0, 0, 0, 0, 0, 0]) }

    /// Says how many streams it takes, whatever it heeds itself.
    func announce(streamCountMax: UInt8) { say(4, [0, 3, 0, 0, 0, streamCountMax]) }

    /// Reads what the engine has sent, and sends what is to be sent.
    func pump() {
        let bytes = Array(stream.written[readCount...])
        readCount = stream.written.count
        var offset = 0
        reading: while true {
            do {
                let event = try machine.receive(bytes.span, from: &offset, now: 0)
                if case .needsMoreInput = event { break reading }
                note(event, bytes)
            } catch {
                events.append("broken: \(error)")
                break
            }
        }
        send()
    }

    /// How many bytes it still sends before its connection ends; nil where it does not end.
    var byteCountLeft: Int?
    /// How many it has sent.
    private(set) var sentByteCount = 0

    /// Sends what is to be sent.
    func send() {
        var bytes = machine.takeOutput(.max)
        if let left = byteCountLeft { bytes.removeLast(max(0, bytes.count - left)) }
        sentByteCount += bytes.count
        if !bytes.isEmpty { stream.receive(bytes, pieceByteCount: .max) }
        guard let left = byteCountLeft else { return }
        byteCountLeft = left - bytes.count
        if left == bytes.count, !isEnded {
            isEnded = true
            stream.receiveEnd(isClean: true)
        }
    }

    private var isEnded = false
    /// The fields of the response that came last.
    private(set) var responseFields: [String] = []
    /// The fields of the request that came last.
    private(set) var requestFields: [String] = []

    /// What has come since this was asked last.
    func got() -> [String] {
        defer { events = [] }
        return events
    }

    /// Begins a stream, and returns its number.
    @discardableResult
    func request(
        _ method: HTTPMethod = .get, _ path: String = "/", body: BodyLength = .none,
        scheme: String = "http", _ fields: [(name: String, value: String)] = []
    ) -> StreamID? {
        let url = RawURL(
            scheme: scheme, host: "h", port: RawURL.defaultPort(scheme: scheme),
            origin: Array(path.utf8))
        let head = RequestHead(
            method: method, target: Array(path.utf8), version: .http2,
            fields: HeaderFields([(name: "host", value: "h")] + fields))
        return machine.send(ForwardedRequest(head: head, url: url, body: body))?.id
    }

    /// Asks for another protocol (RFC 8441), and returns the stream's number.
    @discardableResult
    func connect(
        _ name: String = "websocket", host: String = "h", scheme: String = "http",
        fields: [(name: String, value: String)] = []
    ) -> StreamID? {
        let url = RawURL(
            scheme: scheme, host: host, port: RawURL.defaultPort(scheme: scheme),
            origin: Array("/chat".utf8))
        let head = try? RequestHead.extendedConnect(name, to: url, fields: HeaderFields(fields))
        return head.flatMap {
            machine.send(ForwardedRequest(head: $0, url: url, body: .none))?.id
        }
    }

    /// Whether the engine takes extended CONNECT.
    var isOfferedExtendedConnect: Bool { machine.peerSettings.allowsExtendedConnect }

    func respond(
        _ id: UInt32, _ status: Int = 200, body: BodyLength = .exactly(0),
        _ fields: [(name: String, value: String)] = []
    ) {
        let head = ResponseHead(status: status, reason: "", fields: HeaderFields(fields))
        machine.send(ForwardedResponse(head: head, body: body), on: StreamID(rawValue: id))
    }

    func send(body text: String, on id: UInt32) {
        machine.send(body: text.utf8.span, on: StreamID(rawValue: id))
    }

    func send(bytes: [UInt8], on id: UInt32) {
        machine.send(body: bytes.span, on: StreamID(rawValue: id))
    }

    func end(_ id: UInt32) { machine.end(StreamID(rawValue: id), trailers: nil) }

    func reset(_ id: UInt32, _ code: HTTP2ErrorCode) {
        machine.reset(StreamID(rawValue: id), code)
    }

    private func note(_ event: HTTP2Event, _ input: [UInt8]) {
        switch event {
        case .needsMoreInput, .settings: break
        case .request(let id, let head, _):
            events.append("\(id) \(head.method) \(head.targetText)")
            requestFields = head.fields.pairs.map { "\($0.name): \($0.value)" }
        case .informational(let id, let head): events.append("\(id) \(head.status)")
        case .response(let id, let head, _):
            events.append("\(id) \(head.status)")
            responseFields = head.fields.pairs.map { "\($0.name): \($0.value)" }
        case .body(let id, let range): events.append("\(id) \(ASCII.text(input[range]))")
        case .trailers(let id, let trailers): events.append("\(id) trailers \(trailers.pairs)")
        case .end(let id): events.append("\(id) end")
        case .malformed(let id, let message): events.append("\(id) malformed \(message.error.kind)")
        case .lostHead(let id, let message): events.append("\(id) lost \(message.error.kind)")
        case .reset(let id, let code, _): events.append("\(id) reset \(code)")
        case .unprocessed(let id, let code): events.append("\(id) unprocessed \(code)")
        case .goAway(let last, let code, _): events.append("goaway \(last) \(code)")
        case .priorityUpdate(let id, let value):
            events.append("\(id) priority \(ASCII.text(value))")
        }
    }
}

/// A client with prior knowledge of HTTP/2, and the servers that it reaches.
final class HTTP2Scene {
    let book: Playbook
    let client: HTTP2Peer
    private(set) var servers: [HTTP2Peer] = []
    /// What steps have found on their way, for the test to look at.
    var notes: [String] = []
    /// The statuses that a step found in the record.
    var noted: [Int?] = []

    init(_ book: Playbook) {
        self.book = book
        client = HTTP2Peer(.client, on: book.client)
    }

    /// A client that asks for a tunnel in HTTP/1.1, in which it speaks HTTP/2; the server takes
    /// extended CONNECT.
    init(tunnelIn book: Playbook) {
        self.book = book
        book.clientSends("CONNECT h:80 HTTP/1.1\r\nHost: h:80\r\n\r\n")
        let server = book.connects()
        client = HTTP2Peer(.client, on: book.client)
        servers = [HTTP2Peer(.server, on: server, takesExtendedConnect: true)]
    }

    /// The server of the newest connection.
    var server: HTTP2Peer {
        guard let last = servers.last else { preconditionFailure("no server was reached") }
        return last
    }

    /// The oldest attempt to connect succeeds; the server speaks HTTP/2.
    func connects(takingExtendedConnect: Bool = false, streamCountMax: UInt32 = 100) {
        servers.append(
            HTTP2Peer(
                .server, on: book.connects(), takesExtendedConnect: takingExtendedConnect,
                streamCountMax: streamCountMax))
    }

    /// Lets both sides read and answer.
    func pump() {
        client.pump()
        for server in servers { server.pump() }
    }

    typealias Step = @Sendable (HTTP2Scene) -> Void

    /// Plays steps; after each, and before the next, everyone reads what there is.
    static func play<Value: Sendable>(
        configuration: EngineConfiguration = EngineConfiguration(), actor: ScriptedActor? = nil,
        at listener: ServedListener = ServedListener(),
        authenticator: (any ClientAuthenticator)? = nil,
        begin: @escaping @Sendable (Playbook) -> HTTP2Scene = { HTTP2Scene($0) },
        _ steps: [Step], end: @escaping @Sendable (HTTP2Scene) -> Value
    ) throws -> Value {
        let pump: Step = { $0.pump() }
        return try Playbook.play(
            configuration: configuration, actor: actor, at: listener,
            authenticator: authenticator, begin: begin,
            steps: steps.flatMap { [pump, $0, pump, pump] } + [pump, pump], end: end)
    }
}

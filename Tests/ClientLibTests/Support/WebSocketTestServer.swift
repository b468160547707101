import Foundation
import ProxydEventLoops
import ProxydHTTPModel
import ProxydHTTPWire
import ProxydTLS
import ProxydTransport
import Synchronization

/// A server of WebSockets on loopback that does as a test tells it to. It lives as long as the
/// tests, on one thread with all others.
final class WebSocketTestServer: Sendable {
    /// A frame that came, unmasked.
    struct Frame: Sendable, Equatable {
        let opcode: WebSocketOpcode
        let payload: [UInt8]
        /// Whether RSV1 was set.
        var isCompressed = false

        var text: String { String(decoding: payload, as: UTF8.self) }
    }

    /// What the server does.
    enum Step: Sendable {
        case frame(WebSocketOpcode, [UInt8])
        case raw([UInt8])
        case end
        case reset

        static func text(_ text: String) -> Step { .frame(.text, Array(text.utf8)) }
        static func close(_ code: UInt16?, _ reason: String = "") -> Step {
            .frame(.close, WebSocketClosing(code: code, reason: reason).payload)
        }
    }

    /// How it answers.
    struct Manner: Sendable {
        /// The answer to an opening; nil for the right one, with these fields.
        var answer: @Sendable (RequestHead) -> [UInt8]? = { _ in nil }
        var fields: @Sendable (RequestHead) -> [(String, String)] = { _ in [] }
        /// What follows the answer in the same piece.
        var first: [Step] = []
        /// What it does for each frame: it answers close frames and sends messages back.
        var react: @Sendable (Frame) -> [Step] = Manner.echo
        /// Whether it reads at all once it is open.
        var reads = true

        static let echo: @Sendable (Frame) -> [Step] = { frame in
            switch frame.opcode {
            case .close: [.frame(.close, Array(frame.payload.prefix(2))), .end]
            case .ping: [.frame(.pong, frame.payload)]
            case .pong: []
            default: [.frame(frame.opcode, frame.payload)]
            }
        }
    }

    let port: UInt16
    private static let group = Result { try EventLoopGroup(count: 1) }
    private let loop: EventLoop
    private let listener = Mutex<LoopBound<Listener>?>(nil)
    private let log = Mutex<(heads: [RequestHead], frames: [Frame])>(([], []))
    private let handed = Atomic<Int>(0)
    private let arrivals: AsyncStream<Frame>.Continuation
    /// Frames as they come, for tests that wait for one.
    let arriving: AsyncStream<Frame>

    /// A server; one of HTTP/2 wants to be known as that, and takes extended CONNECTs.
    init(
        tls: TLSServerContext? = nil, isHTTP2: Bool = false, _ manner: Manner = Manner()
    ) throws {
        loop = try WebSocketTestServer.group.get().loops[0]
        (arriving, arrivals) = AsyncStream.makeStream(of: Frame.self)
        let socket = try ListeningSocket(address: SocketAddress(ipv4: 0x7F00_0001, port: 0))
        port = socket.localAddress.port
        loop.execute { [self] in
            let made = Listener(socket: socket, on: loop) { [self] stream in
                if isHTTP2 { return WebSocketTestLink(self, manner).begin(on: stream) }
                let connection = WebSocketTestConnection(self, manner)
                if let tls {
                    connection.secure(stream, with: tls)
                } else {
                    stream.delegate = connection
                }
            }
            made.start()
            listener.withLock { $0 = LoopBound(made, loop: loop) }
        }
    }

    var url: String { "ws://127.0.0.1:\(port)" }
    /// The heads that asked for an opening.
    var heads: [RequestHead] { log.withLock { $0.heads } }
    var frames: [Frame] { log.withLock { $0.frames } }
    /// Bytes that the kernel has taken of what it sent, or that wait for it.
    var handedByteCount: Int { handed.load(ordering: .relaxed) }

    /// What proves that an opening was read.
    static func proof(of head: RequestHead) -> String {
        let key = head.fields["Sec-WebSocket-Key"] ?? ""
        let digest = DigestAlgorithm.sha1.digest(of: WebSocketHandshake.acceptInput(key: key))
        return Data(digest ?? []).base64EncodedString()
    }

    func note(_ head: RequestHead) { log.withLock { $0.heads.append(head) } }
    func note(_ frame: Frame) {
        log.withLock { $0.frames.append(frame) }
        arrivals.yield(frame)
    }
    func noteHanded(_ byteCount: Int) { handed.add(byteCount, ordering: .relaxed) }
}

/// One connection of a test's server of WebSockets. Confined to its loop.
final class WebSocketTestConnection: DuplexStreamDelegate {
    private let server: WebSocketTestServer
    private let manner: WebSocketTestServer.Manner
    private var decoder = RequestDecoder()
    private var isOpen = false
    private var reader = WebSocketFrameReader()
    private var header: WebSocketFrameHeader?
    private var payload: [UInt8] = []
    private var secured: TLSStream?
    /// What waits while the client reads nothing.
    private var waiting: ArraySlice<WebSocketTestServer.Step> = []

    init(_ server: WebSocketTestServer, _ manner: WebSocketTestServer.Manner) {
        self.server = server
        self.manner = manner
    }

    func secure(_ stream: SocketStream, with context: TLSServerContext) {
        let tls = TLSStream(
            server: context, over: stream, alpn: ["http/1.1"], handshakeTimeoutNs: 60_000_000_000
        ) { [self] outcome in
            if case .success = outcome { secured?.delegate = self } else { stream.close() }
            secured = nil
        }
        secured = tls
        tls.start()
    }

    /// The connection is a stream that was opened elsewhere.
    func begin(on stream: any DuplexStream) {
        isOpen = true
        stream.delegate = self
        run(manner.first, on: stream)
    }

    func stream(_ stream: any DuplexStream, didReceive bytes: Span<UInt8>) {
        var offset = 0
        while !isOpen {
            guard let part = try? decoder.decode(bytes, from: &offset) else {
                return stream.abort()
            }
            switch part {
            case .needsMoreInput: return
            case .head(let head, _): open(head, on: stream)
            default: break
            }
            if !stream.isOpen { return }
        }
        read(bytes, from: &offset, on: stream)
    }

    private func open(_ head: RequestHead, on stream: any DuplexStream) {
        server.note(head)
        if let answer = manner.answer(head) { return stream.write(answer) }
        var text =
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Accept: \(WebSocketTestServer.proof(of: head))\r\n"
        for (name, value) in manner.fields(head) { text += "\(name): \(value)\r\n" }
        isOpen = true
        var bytes = Array((text + "\r\n").utf8)
        for case .frame(let opcode, let payload) in manner.first {
            WebSocketFrameWriter.write(opcode, payload.span, maskingKey: nil, into: &bytes)
        }
        stream.write(bytes)
        if !manner.reads { stream.pauseReading() }
        run(manner.first.filter { if case .frame = $0 { false } else { true } }, on: stream)
    }

    private func read(
        _ bytes: Span<UInt8>, from offset: inout Int, on stream: any DuplexStream
    ) {
        while stream.isOpen {
            switch reader.next(bytes, from: &offset) {
            case .needsMoreInput: return
            case .header(let next):
                // A client masks (RFC 6455 §5.1).
                guard next.maskingKey != nil else { return stream.abort() }
                header = next
                payload = []
            case .payload(let range, let isLast):
                reader.append(range, of: bytes, to: &payload)
                guard isLast, let header else { continue }
                let frame = WebSocketTestServer.Frame(
                    opcode: header.opcode, payload: payload, isCompressed: header.isCompressed)
                server.note(frame)
                run(manner.react(frame), on: stream)
            }
        }
    }

    private func run(_ steps: [WebSocketTestServer.Step], on stream: any DuplexStream) {
        waiting += steps
        while stream.isOpen, !stream.isCongested, let step = waiting.popFirst() {
            switch step {
            case .frame(let opcode, let payload):
                var bytes: [UInt8] = []
                WebSocketFrameWriter.write(opcode, payload.span, maskingKey: nil, into: &bytes)
                server.noteHanded(bytes.count)
                stream.write(bytes)
            case .raw(let bytes): stream.write(bytes)
            case .end: stream.close()
            case .reset:
                stream.flush()
                stream.abort()
            }
        }
    }

    func streamDidReachEnd(_ stream: any DuplexStream, isClean: Bool) { stream.close() }
    func streamDidDrain(_ stream: any DuplexStream) { run([], on: stream) }
    func stream(_ stream: any DuplexStream, didFail error: StreamError) {}
}

/// A connection of HTTP/2 on which extended CONNECTs open WebSockets (RFC 8441). Confined to its
/// loop.
final class WebSocketTestLink: HTTP2LinkOwner {
    private let server: WebSocketTestServer
    private let manner: WebSocketTestServer.Manner
    private var streams: [StreamID: HTTP2ByteStream] = [:]

    init(_ server: WebSocketTestServer, _ manner: WebSocketTestServer.Manner) {
        self.server = server
        self.manner = manner
    }

    /// Begins on a connection whose client has agreed on HTTP/2.
    func begin(on stream: any DuplexStream) {
        var options = HTTP2Connection.Options(.server)
        options.settings.allowsExtendedConnect = true
        let link = HTTP2Link(.server, over: stream, options: options)
        link.owner = self
        stream.delegate = link
    }

    func link(_ link: HTTP2Link, _ event: HTTP2Event, input: Span<UInt8>) {
        switch event {
        case .request(let id, let head, _): open(head, on: id, link)
        case .body(let id, let range): streams[id]?.receive(input.extracting(range))
        case .end(let id): streams[id]?.receivedEnd()
        case .reset(let id, _, _): streams[id]?.broke(StreamError(kind: .reset, message: "reset"))
        default: break
        }
    }

    private func open(_ head: RequestHead, on id: StreamID, _ link: HTTP2Link) {
        server.note(head)
        guard head.connectProtocol == "websocket" else { return link.reset(id, .refusedStream) }
        let response = ResponseHead(
            status: 200, reason: "", fields: HeaderFields(manner.fields(head)))
        link.send(ForwardedResponse(head: response, body: .untilClose), on: id)
        let stream = HTTP2ByteStream(id, of: link, .otherProtocol) { [weak self] in
            self?.streams[id] = nil
        }
        streams[id] = stream
        WebSocketTestConnection(server, manner).begin(on: stream)
    }

    func link(_ link: HTTP2Link, didDrain id: StreamID) { streams[id]?.drained() }
    func link(_ link: HTTP2Link, didFail failure: HTTP2LinkFailure) {}
}

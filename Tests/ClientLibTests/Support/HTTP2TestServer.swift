import ProxydEventLoops
import ProxydHTTPModel
import ProxydHTTPWire
import ProxydTLS
import ProxydTransport
import Synchronization

/// A server on loopback that speaks HTTP/2; over TLS also HTTP/1.1 where the client offers no
/// HTTP/2.
final class HTTP2TestServer: Sendable {
    /// A request that came, whole.
    struct Received: Sendable {
        let head: RequestHead
        var body: [UInt8] = []
        var trailers: HeaderFields?
        /// Which connection it came on, from 1.
        let connection: Int
        let stream: StreamID

        /// The lines of its head in their order.
        var text: String { String(decoding: head.bytes, as: UTF8.self) }
    }

    /// How a request is answered.
    enum Answer: Sendable {
        case response(Int, [(String, String)], [UInt8], trailers: [(String, String)])
        case reset(HTTP2ErrorCode)
        /// With the next one that is answered.
        case later

        static func text(_ text: String, _ fields: [(String, String)] = []) -> Answer {
            .response(200, fields, Array(text.utf8), trailers: [])
        }
    }

    let port: UInt16
    private static let group = Result { try EventLoopGroup(count: 1) }
    private let loop: EventLoop
    private let listener = Mutex<LoopBound<Listener>?>(nil)
    private let log = Mutex<[Received]>([])
    private let connections = Mutex(0)
    private let oldConnections = Mutex(0)

    /// A server that tells how many streams it takes, and answers each whole request.
    init(
        tls: TLSServerContext? = nil, streamCountMax: UInt32 = 100,
        _ answer: @escaping @Sendable (Received) -> Answer
    ) throws {
        loop = try HTTP2TestServer.group.get().loops[0]
        let socket = try ListeningSocket(address: SocketAddress(ipv4: 0x7F00_0001, port: 0))
        port = socket.localAddress.port
        loop.execute { [self] in
            let made = Listener(socket: socket, on: loop) { [self] stream in
                let number = connections.withLock { count in
                    count += 1
                    return count
                }
                let serve: (any DuplexStream) -> Void = { stream in
                    let connection = HTTP2TestConnection(self, number, answer)
                    var options = HTTP2Connection.Options(.server)
                    options.settings.concurrentStreamCountMax = streamCountMax
                    let link = HTTP2Link(.server, over: stream, options: options)
                    link.owner = connection
                    stream.delegate = link
                }
                guard let tls else { return serve(stream) }
                HTTP2TestServer.secure(stream, tls) { [self] stream, alpn in
                    if alpn == "h2" { serve(stream) } else { serveOld(stream) }
                }
            }
            made.start()
            listener.withLock { $0 = LoopBound(made, loop: loop) }
        }
    }

    private static func secure(
        _ stream: any DuplexStream, _ context: TLSServerContext,
        then serve: @escaping (any DuplexStream, String?) -> Void
    ) {
        var secured: TLSStream?
        let tls = TLSStream(
            server: context, over: stream, alpn: ["h2", "http/1.1"],
            handshakeTimeoutNs: 60_000_000_000
        ) { outcome in
            if case .success(let facts) = outcome, let secured {
                serve(secured, facts.alpn)
            } else {
                stream.close()
            }
            secured = nil
        }
        secured = tls
        tls.start()
    }

    private func serveOld(_ stream: any DuplexStream) {
        oldConnections.withLock { $0 += 1 }
        stream.delegate = HTTP1TestConnection()
    }

    /// Connections of HTTP/1.1 so far.
    var oldConnectionCount: Int { oldConnections.withLock { $0 } }

    var received: [Received] { log.withLock { $0 } }
    var connectionCount: Int { connections.withLock { $0 } }
    func url(_ scheme: String = "http") -> String { "\(scheme)://127.0.0.1:\(port)" }

    func note(_ received: Received) { log.withLock { $0.append(received) } }
}

/// A connection that answers each request of HTTP/1.1 with "x", once its trailers have come.
/// Confined to the server's loop.
private final class HTTP1TestConnection: DuplexStreamDelegate {
    private let end = "x-t: 1\r\n\r\n"
    private var received: [UInt8] = []

    func stream(_ stream: any DuplexStream, didReceive bytes: Span<UInt8>) {
        bytes.withUnsafeBufferPointer { received.append(contentsOf: $0) }
        guard String(decoding: received, as: UTF8.self).hasSuffix(end) else { return }
        received = []
        stream.write(Array("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx".utf8))
    }

    func streamDidReachEnd(_ stream: any DuplexStream, isClean: Bool) { stream.close() }
    func streamDidDrain(_ stream: any DuplexStream) {}
    func stream(_ stream: any DuplexStream, didFail error: StreamError) {}
}

/// One connection of it. Confined to the server's loop.
private final class HTTP2TestConnection: HTTP2LinkOwner {
    private let server: HTTP2TestServer
    private let number: Int
    private let answer: @Sendable (HTTP2TestServer.Received) -> HTTP2TestServer.Answer
    private var open: [StreamID: HTTP2TestServer.Received] = [:]
    private var waiting: [StreamID] = []

    init(
        _ server: HTTP2TestServer, _ number: Int,
        _ answer: @escaping @Sendable (HTTP2TestServer.Received) -> HTTP2TestServer.Answer
    ) {
        self.server = server
        self.number = number
        self.answer = answer
    }

    func link(_ link: HTTP2Link, _ event: HTTP2Event, input: Span<UInt8>) {
        switch event {
        case .request(let id, let head, _):
            open[id] = HTTP2TestServer.Received(head: head, connection: number, stream: id)
        case .body(let id, let range):
            input.extracting(range).withUnsafeBufferPointer {
                open[id]?.body.append(contentsOf: $0)
            }
        case .trailers(let id, let fields): open[id]?.trailers = fields
        case .end(let id): finish(id, link)
        default: break
        }
    }

    private func finish(_ id: StreamID, _ link: HTTP2Link) {
        guard let received = open.removeValue(forKey: id) else { return }
        server.note(received)
        let answer = answer(received)
        waiting.append(id)
        if case .later = answer { return }
        for id in waiting { send(answer, on: id, link) }
        waiting = []
    }

    private func send(_ answer: HTTP2TestServer.Answer, on id: StreamID, _ link: HTTP2Link) {
        switch answer {
        case .later: break
        case .reset(let code): link.reset(id, code)
        case .response(let status, let fields, let body, let trailers):
            let head = ResponseHead(status: status, reason: "", fields: HeaderFields(fields))
            let length: BodyLength =
                trailers.isEmpty ? .exactly(UInt64(body.count)) : .untilClose
            link.send(ForwardedResponse(head: head, body: length), on: id)
            link.send(body: body.span, on: id)
            link.end(id, trailers: trailers.isEmpty ? nil : HeaderFields(trailers))
        }
    }

    func link(_ link: HTTP2Link, didDrain id: StreamID) {}
    func link(_ link: HTTP2Link, didFail failure: HTTP2LinkFailure) {}
}

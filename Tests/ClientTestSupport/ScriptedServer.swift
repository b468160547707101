internal import ProxydEventLoops
public import ProxydHTTPModel
internal import ProxydHTTPWire
public import ProxydTLS
internal import ProxydTransport
internal import Synchronization

/// A server on loopback that answers as a test tells it to. It lives as long as the tests, on one
/// thread with all others.
public final class ScriptedServer: Sendable {
    /// A request that came, whole.
    public struct Received: Sendable {
        /// Its head.
        public let head: RequestHead
        /// Its body.
        public internal(set) var body: [UInt8] = []
        /// Its trailers; nil for none.
        public internal(set) var trailers: HeaderFields?
        /// Which connection it came on, from 1.
        public let connection: Int
        /// Which request of the server it is, from 1.
        public let number: Int

        /// The body as UTF-8.
        public var bodyText: String { String(decoding: body, as: UTF8.self) }
        /// The first value of a field; nil where it has none.
        public func header(_ name: String) -> String? { head.fields[name] }
    }

    /// What the server does.
    public enum Step: Sendable {
        /// Sends bytes.
        case send([UInt8])
        /// Closes the connection when all is sent.
        case close
        /// Ends the connection with a reset.
        case reset

        /// Sends text.
        public static func text(_ text: String) -> Step { .send(Array(text.utf8)) }
    }

    /// What is done for a request.
    public typealias Script = @Sendable (Received) -> [Step]

    /// Where it listens.
    public let port: UInt16
    private static let group = Result { try EventLoopGroup(count: 1) }
    private let loop: EventLoop
    private let listener = Mutex<LoopBound<Listener>?>(nil)
    private let log = Mutex<[Received]>([])
    private let connections = Mutex(0)
    private let arrivals: AsyncStream<Received>.Continuation
    /// Requests as they come, for tests that wait for one.
    public let arriving: AsyncStream<Received>

    /// A server that runs `script` for each request: when it is whole, or when its head is there.
    /// `atHead` is run when the head is there in any case.
    public init(
        tls: TLSServerContext? = nil, alpn: [String] = ["http/1.1"], answersAtHead: Bool = false,
        atHead: Script? = nil,
        _ script: @escaping Script
    ) throws {
        loop = try ScriptedServer.group.get().loops[0]
        (arriving, arrivals) = AsyncStream.makeStream(of: Received.self)
        let socket = try ListeningSocket(address: SocketAddress(ipv4: 0x7F00_0001, port: 0))
        port = socket.localAddress.port
        let first = answersAtHead ? script : atHead
        let last: Script? = answersAtHead ? nil : script
        loop.execute { [self] in
            let made = Listener(socket: socket, on: loop) { [self] stream in
                let connection = ServerConnection(
                    server: self, number: nextConnection(),
                    atHead: first, atEnd: last)
                if let tls {
                    connection.secure(stream, with: tls, alpn: alpn)
                } else {
                    stream.delegate = connection
                }
            }
            made.start()
            listener.withLock { $0 = LoopBound(made, loop: loop) }
        }
    }

    private func nextConnection() -> Int {
        connections.withLock { count in
            count += 1
            return count
        }
    }

    /// The requests that came so far.
    public var received: [Received] { log.withLock { $0 } }
    /// How many connections came so far.
    public var connectionCount: Int { connections.withLock { $0 } }
    /// `http://127.0.0.1:PORT`.
    public var url: String { "http://127.0.0.1:\(port)" }

    func note(_ head: RequestHead, connection: Int) -> Received {
        log.withLock { log in
            let received = Received(head: head, connection: connection, number: log.count + 1)
            log.append(received)
            return received
        }
    }

    func noteWhole(_ received: Received) {
        log.withLock { $0[received.number - 1] = received }
        arrivals.yield(received)
    }

    /// A response with a length.
    public static func response(
        _ status: Int = 200, _ body: String = "", headers: [(String, String)] = []
    ) -> [Step] {
        response(status, Array(body.utf8), headers: headers)
    }

    /// A response with a length.
    public static func response(
        _ status: Int = 200, _ body: [UInt8], headers: [(String, String)] = []
    ) -> [Step] {
        var text = "HTTP/1.1 \(status) Status \(status)\r\nContent-Length: \(body.count)\r\n"
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        return [.send(Array((text + "\r\n").utf8) + body)]
    }
}

/// One connection of a scripted server. Confined to the server's loop.
final class ServerConnection: DuplexStreamDelegate {
    private let server: ScriptedServer
    private let number: Int
    private let atHead: ScriptedServer.Script?
    private let atEnd: ScriptedServer.Script?
    private var decoder = RequestDecoder()
    private var current: ScriptedServer.Received?
    private var secured: TLSStream?

    init(
        server: ScriptedServer, number: Int, atHead: ScriptedServer.Script?,
        atEnd: ScriptedServer.Script?
    ) {
        self.server = server
        self.number = number
        self.atHead = atHead
        self.atEnd = atEnd
    }

    func secure(_ stream: SocketStream, with context: TLSServerContext, alpn: [String]) {
        let tls = TLSStream(
            server: context, over: stream, alpn: alpn, handshakeTimeoutNs: 60_000_000_000
        ) { [self] outcome in
            if case .success = outcome { secured?.delegate = self } else { stream.close() }
            secured = nil
        }
        secured = tls
        tls.start()
    }

    func stream(_ stream: any DuplexStream, didReceive bytes: Span<UInt8>) {
        var offset = 0
        while stream.isOpen {
            guard let part = try? decoder.decode(bytes, from: &offset) else {
                return stream.abort()
            }
            switch part {
            case .needsMoreInput: return
            case .informational: break
            case .head(let head, _):
                current = server.note(head, connection: number)
                if let atHead, let current { run(atHead(current), on: stream) }
            case .body(let range):
                bytes.extracting(range).withUnsafeBufferPointer {
                    current?.body.append(contentsOf: $0)
                }
            case .trailers(let fields): current?.trailers = fields
            case .end: finish(on: stream)
            }
        }
    }

    private func finish(on stream: any DuplexStream) {
        guard let received = current else { return }
        current = nil
        server.noteWhole(received)
        if let atEnd { run(atEnd(received), on: stream) }
    }

    private func run(_ steps: [ScriptedServer.Step], on stream: any DuplexStream) {
        for step in steps where stream.isOpen {
            switch step {
            case .send(let bytes): stream.write(bytes)
            case .close: stream.close()
            case .reset:
                stream.flush()
                stream.abort()
            }
        }
    }

    func streamDidReachEnd(_ stream: any DuplexStream, isClean: Bool) { stream.close() }
    func streamDidDrain(_ stream: any DuplexStream) {}
    func stream(_ stream: any DuplexStream, didFail error: StreamError) {}
}

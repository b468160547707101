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

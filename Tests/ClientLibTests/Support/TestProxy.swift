import Foundation
import ProxydEventLoops
import Synchronization

/// A proxy on loopback. It lives until the tests end, on one thread with all others.
final class TestProxy: Sendable {
    /// How it behaves.
    enum Manner: Sendable {
        /// Makes tunnels for CONNECT; where a value is given, for who sends it as
        /// Proxy-Authorization, or something that begins with it. Others get the challenge.
        case http(wants: String? = nil, challenge: String = "Basic realm=\"proxy\"")
        /// SOCKS 5; where a name and a password are given, for who has them.
        case socks(user: String? = nil, password: String? = nil)
        /// Answers the first bytes with these, and then nothing.
        case says([UInt8])
        /// Closes when the first bytes came.
        case closes

        static func says(_ text: String) -> Manner { .says(Array(text.utf8)) }
    }

    let port: UInt16
    let manner: Manner
    /// Where all connections lead; nil for the port that is asked for.
    let target: UInt16?
    private static let group = Result { try EventLoopGroup(count: 1) }
    private let log = Mutex<[String]>([])
    private let listener = Mutex<LoopBound<Listener>?>(nil)

    init(_ manner: Manner, leadingTo target: UInt16? = nil) throws {
        self.manner = manner
        self.target = target
        let loop = try TestProxy.group.get().loops[0]
        let socket = try ListeningSocket(address: SocketAddress(ipv4: 0x7F00_0001, port: 0))
        port = socket.localAddress.port
        loop.execute { [self] in
            let made = Listener(socket: socket, on: loop) { [self] stream in
                stream.delegate = TestProxyConnection(self)
            }
            made.start()
            listener.withLock { $0 = LoopBound(made, loop: loop) }
        }
    }

    /// What it was asked for: `CONNECT host:port credentials`, `SOCKS type host:port`.
    var asked: [String] { log.withLock { $0 } }
    func note(_ line: String) { log.withLock { $0.append(line) } }
}

/// One connection of a test's proxy. Confined to its loop.
final class TestProxyConnection: DuplexStreamDelegate {
    private enum State {
        case greeting, authenticating, requesting, silent
        case connecting(ConnectAttempt)
        case relaying(SocketStream)
    }

    private let proxy: TestProxy
    private var state = State.greeting
    private var pending: [UInt8] = []

    init(_ proxy: TestProxy) { self.proxy = proxy }

    func stream(_ stream: any DuplexStream, didReceive bytes: Span<UInt8>) {
        if case .relaying(let peer) = state { return peer.write(bytes) }
        bytes.withUnsafeBufferPointer { pending.append(contentsOf: $0) }
        switch proxy.manner {
        case .http(let wanted, let challenge): answerHTTP(stream, wanted, challenge)
        case .socks(let user, let password): answerSOCKS(stream, user, password)
        case .says(let bytes):
            if case .greeting = state { stream.write(bytes) }
            state = .silent
        case .closes: stream.close()
        }
    }

    // MARK: HTTP

    private func answerHTTP(_ stream: any DuplexStream, _ wanted: String?, _ challenge: String) {
        let text = String(decoding: pending, as: UTF8.self)
        guard text.hasSuffix("\r\n\r\n") else { return }
        pending = []
        let lines = text.components(separatedBy: "\r\n")
        let parts = lines[0].components(separatedBy: " ")
        let prefix = "Proxy-Authorization: "
        let shown = lines.first { $0.hasPrefix(prefix) }.map { $0.dropFirst(prefix.count) } ?? ""
        proxy.note("\(parts[0]) \(parts[1]) \(shown)")
        if let wanted, !shown.hasPrefix(wanted) {
            let answer =
                "HTTP/1.1 407 Who\r\nProxy-Authenticate: \(challenge)\r\n"
                + "Content-Length: 0\r\nConnection: close\r\n\r\n"
            stream.write(Array(answer.utf8))
            return stream.close()
        }
        let port = parts[1].components(separatedBy: ":").last.flatMap { UInt16($0) } ?? 0
        connect(stream, port: port) { isThere in
            Array("HTTP/1.1 \(isThere ? "200 Go" : "502 No")\r\n\r\n".utf8)
        }
    }

    // MARK: SOCKS

    private func answerSOCKS(_ stream: any DuplexStream, _ user: String?, _ password: String?) {
        switch state {
        case .greeting:
            guard pending.count >= 2, pending.count >= 2 + Int(pending[1]) else { return }
            let method: UInt8 = user == nil ? 0 : 2
            let isOffered = pending.dropFirst(2).contains(method)
            pending = []
            stream.write([5, isOffered ? method : 0xFF])
            state = !isOffered ? .silent : user == nil ? .requesting : .authenticating
        case .authenticating:
            let own = Array((user ?? "").utf8)
            let secret = Array((password ?? "").utf8)
            let wanted =
                [1, UInt8(own.count)] + own + [UInt8(secret.count)] + secret
            let isRight = pending == wanted
            pending = []
            stream.write([1, isRight ? 0 : 1])
            state = isRight ? .requesting : .silent
        case .requesting: request(stream)
        case .silent, .connecting, .relaying: break
        }
    }

    private func request(_ stream: any DuplexStream) {
        guard pending.count > 6 else { return }
        let body = pending[4...]
        let host: String
        switch pending[3] {
        case 1: host = body.prefix(4).map(String.init).joined(separator: ".")
        case 3: host = String(decoding: body.dropFirst().prefix(Int(body[4])), as: UTF8.self)
        default: host = "v6"
        }
        let port = UInt16(pending[pending.count - 2]) << 8 | UInt16(pending[pending.count - 1])
        proxy.note("SOCKS \(pending[3]) \(host):\(port)")
        pending = []
        connect(stream, port: port) { [5, $0 ? 0 : 5, 0, 1, 127, 0, 0, 1, 0, 1] }
    }

    // MARK: Relaying

    /// Connects to a port of this machine, whatever the host was.
    private func connect(
        _ stream: any DuplexStream, port: UInt16, reply: @escaping (Bool) -> [UInt8]
    ) {
        let address = SocketAddress(ipv4: 0x7F00_0001, port: proxy.target ?? port)
        let attempt = ConnectAttempt(to: address, on: stream.loop) { [self] outcome in
            switch outcome {
            case .success(let peer):
                state = .relaying(peer)
                peer.delegate = Relay(to: stream)
                stream.write(reply(true))
            case .failure:
                state = .silent
                stream.write(reply(false))
                stream.close()
            }
        }
        state = .connecting(attempt)
    }

    func streamDidReachEnd(_ stream: any DuplexStream, isClean: Bool) {
        if case .relaying(let peer) = state { peer.close() }
        stream.close()
    }

    func streamDidDrain(_ stream: any DuplexStream) {}

    func stream(_ stream: any DuplexStream, didFail error: StreamError) {
        if case .relaying(let peer) = state { peer.abort() }
    }

    /// Hands on what the server says.
    private final class Relay: DuplexStreamDelegate {
        private let client: any DuplexStream

        init(to client: any DuplexStream) { self.client = client }

        func stream(_ stream: any DuplexStream, didReceive bytes: Span<UInt8>) {
            client.write(bytes)
        }
        func streamDidReachEnd(_ stream: any DuplexStream, isClean: Bool) {
            client.close()
            stream.close()
        }
        func streamDidDrain(_ stream: any DuplexStream) {}
        func stream(_ stream: any DuplexStream, didFail error: StreamError) { client.abort() }
    }
}

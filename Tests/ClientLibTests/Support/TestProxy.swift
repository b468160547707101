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

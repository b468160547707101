import EventLoops
import HTTPModel
import HTTPWire
import Synchronization
import TLS
import Transport

/// A server on loopback that answers as a test tells it to.
final class ScriptedServer: Sendable {
    /// A request that came, whole.
    struct Received: Sendable {
        let head: RequestHead
        var body: [UInt8] = []
        var trailers: HeaderFields?
        /// Which connection it came on, from 1.
        let connection: Int
        /// Which request of the server it is, from 1.
        let number: Int

        var bodyText: String { String(decoding: body, as: UTF8.self) }
        func header(_ name: String) -> String? { head.fields[name] }
    }

    /// What the server does.
    enum Step: Sendable {
        case send([UInt8])
        case close
        case reset

        static func text(_ text: String) -> Step { .send(Array(text.utf8)) }
    }

    typealias Script = @Sendable (Received) -> [Step]

    let port: UInt16
    private let group: EventLoopGroup
    private let log = Mutex<[Received]>([])
    private let connections = Mutex(0)
    private let arrivals: AsyncStream<Received>.Continuation
    /// Requests as they come, for tests that wait for one.
    let arriving: AsyncStream<Received>

    /// A server that runs `script` for each request: when it is whole, or when its head is there.
    init(
        tls: TLSServerContext? = nil, answersAtHead: Bool = false, _ script: @escaping Script
    ) throws {
        group = try EventLoopGroup(count: 1)
        (arriving, arrivals) = AsyncStream.makeStream(of: Received.self)
        let socket = try ListeningSocket(address: SocketAddress(ipv4: 0x7F00_0001, port: 0))
        port = socket.localAddress.port
        let loop = group.loops[0]
        loop.execute { [weak self] in
            Listener(socket: socket, on: loop) { stream in
                guard let self else { return stream.abort() }
                let connection = ServerConnection(
                    server: self,
                    number: self.connections.withLock {
                        $0 += 1; return $0
                    },
                    answersAtHead: answersAtHead, script: script)
                guard let tls else {
                    stream.delegate = connection
                    return
                }
                connection.secure(stream, with: tls)
            }.start()
        }
    }

    deinit {
        arrivals.finish()
        group.shutdown()
    }

    var received: [Received] { log.withLock { $0 } }
    var connectionCount: Int { connections.withLock { $0 } }
    var url: String { "http://127.0.0.1:\(port)" }

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
    static func response(
        _ status: Int = 200, _ body: String = "", headers: [(String, String)] = []
    ) -> [Step] {
        response(status, Array(body.utf8), headers: headers)
    }

    /// A response with a length.
    static func response(
        _ status: Int = 200, _ body: [UInt8], headers: [(String, String)] = []
    ) -> [Step] {
        var text = "HTTP/1.1 \(status) Status \(status)\r\nContent-Length: \(body.count)\r\n"
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        return [.send(Array((text + "\r\n").utf8) + body)]
    }
}

internal import BenchmarkSupport
internal import Capture
internal import ProxydEventLoops
internal import Foundation
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydProxyEngine
internal import ProxydRuleActing
internal import ProxydRules
internal import Synchronization
internal import ProxydTLS
internal import ProxydTransport

/// Exchanges through the whole engine, one after the other on one connection: a client's socket,
/// the relay, a server's socket, and back. What is recorded is dropped.
enum CountedProxying {
    /// What is asked and answered.
    enum Sample {
        case get
        case post
        case mebibyte

        fileprivate var body: [UInt8] {
            Array(repeating: 0x78, count: self == .post ? 1_024 : 0)
        }

        fileprivate func request(to port: UInt16, by way: Way) -> [UInt8] {
            let body = String(decoding: body, as: UTF8.self)
            let fields =
                body.isEmpty
                ? "" : "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n"
            let method = self == .post ? "POST" : "GET"
            let origin = "127.0.0.1:\(port)"
            let target = way == .proxy ? "http://\(origin)/small" : "/small"
            return Array(
                "\(method) \(target) HTTP/1.1\r\nHost: \(origin)\r\n\(fields)\r\n\(body)"
                    .utf8)
        }

        fileprivate var answerBody: [UInt8] {
            Array(repeating: 0x61, count: self == .mebibyte ? 1 << 20 : 64)
        }

        fileprivate var answer: [UInt8] {
            let head =
                "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
                + "Content-Length: \(answerBody.count)\r\n\r\n"
            return Array(head.utf8) + answerBody
        }
    }

    /// What the client of the proxy speaks.
    enum Way {
        case proxy
        case reverse
        case socks

        fileprivate func mode(to port: UInt16) -> ListenerMode {
            switch self {
            case .proxy: .proxy
            case .socks: .socks
            case .reverse:
                .reverse(
                    ReverseService(
                        server: ReplacedServer(scheme: "http", host: "127.0.0.1", port: port)))
            }
        }

        /// Tells the proxy where to connect to, if that is said once for a connection.
        fileprivate func open(_ socket: LoopbackSocket, to port: UInt16) throws {
            guard self == .socks else { return }
            let bytes = [UInt8(truncatingIfNeeded: port >> 8), UInt8(truncatingIfNeeded: port)]
            try socket.send([5, 1, 0, 5, 1, 0, 1, 127, 0, 0, 1] + bytes)
            var reply = [UInt8](repeating: 0, count: 12)
            var received = 0
            while received < reply.count {
                received += try socket.receive(into: &reply, from: received)
            }
        }
    }

    /// What rules that never match name: a host, or only a path.
    enum Rules {
        case none
        case ofHosts(Int)
        case open(Int)

        fileprivate var text: String {
            switch self {
            case .none: ""
            case .ofHosts(let count): text(count) { "host=h\($0).test path:/small" }
            case .open(let count): text(count) { "path:/never\($0)" }
            }
        }

        private func text(_ count: Int, _ filter: (Int) -> String) -> String {
            (0..<count).map {
                "[[rule]]\nname = \"r\($0)\"\nwhen = '\(filter($0))'\n"
                    + "request = [{ set = \"header:X\", value = \"1\" }]\n"
            }.joined()
        }
    }

    /// Sends a sample through a proxy `count` times.
    static func run(
        _ sample: Sample, _ count: Int, rules: Rules = .none, by way: Way = .proxy,
        overHTTP2 isHTTP2: Bool = false
    ) throws -> Int {
        try CountedRecording.inDirectory { directory in
            try FileManager.default.createDirectory(
                atPath: directory.path, withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700])
            let origin = try LoopbackSocket.listening()
            let server = Thread { serve(origin.socket, sample, overHTTP2: isHTTP2) }
            server.start()
            let proxy = try Proxy(
                directory.path, try RulesFile.read(rules.text, file: "rules.toml", now: 0),
                way.mode(to: origin.port))
            defer { proxy.stop() }
            let socket = try LoopbackSocket(connectingTo: proxy.port)
            defer { socket.close() }
            if isHTTP2 { return try exchanges(sample, count, socket, origin.port) }
            let client = Messages(socket)
            try way.open(socket, to: origin.port)
            let request = sample.request(to: origin.port, by: way)
            var witness = 0
            for _ in 0..<count {
                try client.socket.send(request)
                witness &+= try client.skip()
            }
            return witness
        }
    }

    private static func exchanges(
        _ sample: Sample, _ count: Int, _ socket: LoopbackSocket, _ port: UInt16
    ) throws -> Int {
        var client = try HTTP2Peer(client: socket)
        let body = sample.body
        let fields = HTTP2Peer.request(
            sample == .post ? "POST" : "GET", authority: "127.0.0.1:\(port)", path: "/small",
            byteCount: body.count)
        var witness = 0
        for _ in 0..<count { witness &+= try client.exchange(fields, body) }
        return witness
    }

    private static func serve(
        _ listening: LoopbackSocket, _ sample: Sample, overHTTP2 isHTTP2: Bool
    ) {
        do {
            let socket = try listening.accepted()
            if isHTTP2 {
                var server = try HTTP2Peer(server: socket)
                let body = sample.answerBody
                return server.serve(HTTP2Peer.response(byteCount: body.count), body)
            }
            let answer = sample.answer
            let messages = Messages(socket)
            while try messages.skip() > 0 { try messages.socket.send(answer) }
        } catch {
            print("the server failed: \(error)")
        }
    }
}

/// Messages of one length that come on a socket. The first one tells how long they are, so that
/// reading the others costs next to nothing.
private final class Messages {
    let socket: LoopbackSocket
    private var buffer = [UInt8](repeating: 0, count: 2 << 20)
    private var byteCount: Int?

    init(_ socket: LoopbackSocket) { self.socket = socket }

    /// Reads one; returns its bytes, 0 where the peer has ended.
    func skip() throws -> Int {
        var received = 0
        while received < byteCount ?? .max {
            let count = try socket.receive(into: &buffer, from: received)
            guard count > 0 else { return 0 }
            received += count
            if byteCount == nil { byteCount = length(of: buffer[..<received]) }
        }
        return received
    }

    /// The bytes of a message that has begun to come; nil while its head is not complete.
    private func length(of begun: ArraySlice<UInt8>) -> Int? {
        let text = String(decoding: begun, as: UTF8.self)
        guard let head = text.range(of: "\r\n\r\n") else { return nil }
        let fields = text[..<head.lowerBound].split(separator: "\r\n")
        let field = fields.first { $0.hasPrefix("Content-Length: ") }
        let body = field.flatMap { Int($0.dropFirst("Content-Length: ".count)) } ?? 0
        return text[..<head.upperBound].utf8.count + body
    }
}

/// The engine on one loop and a port of its own.
private struct Proxy {
    let port: UInt16
    private let group: EventLoopGroup
    private let engine: ProxyEngine

    init(_ directory: String, _ rules: RuleSet, _ mode: ListenerMode) throws {
        let actor = RuleActor()
        actor.use(rules, from: "/")
        group = try EventLoopGroup(count: 1)
        let authority = try CertificateAuthority.loadOrCreate(in: directory)
        let parts = ProxyEngine.Parts(
            group: group, sink: DroppingSink(),
            leaves: try LeafCertificateCache(authority: authority), authority: authority,
            clientContext: try TLSClientContext(trust: .files([])),
            resolver: Resolver(), actor: actor)
        engine = ProxyEngine(parts: parts, configuration: EngineConfiguration())
        let socket = try ListeningSocket(address: SocketAddress(ipv4: 0x7F00_0001, port: 0))
        port = socket.localAddress.port
        engine.serve(socket, as: ServedListener(mode: mode))
    }

    func stop() {
        engine.terminate()
        group.shutdown()
    }
}

/// Numbers exchanges and connections, and keeps nothing.
private final class DroppingSink: ExchangeSink {
    private let last = Atomic<Int64>(0)

    func nextExchangeID() -> ExchangeID { ExchangeID(rawValue: next()) }
    func nextConnectionID() -> ConnectionID { ConnectionID(rawValue: next()) }
    func record(_ update: consuming ExchangeUpdate) {}
    func record(_ connection: ConnectionRecord) {}
    var isCongested: Bool { false }
    func whenDrained(_ resume: @escaping @Sendable () -> Void) { resume() }

    private func next() -> Int64 { last.wrappingAdd(1, ordering: .relaxed).newValue }
}

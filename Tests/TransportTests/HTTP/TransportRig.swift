import ProxydEventLoops
import ProxydHTTPModel
import ProxydHTTPWire
import ProxydTLS

@testable import ProxydTransport

/// A transport and a scripted server on one loop. Confined to that loop.
final class TransportRig {
    /// A connection as the server sees it.
    final class Peer {
        let number: Int
        let stream: SocketStream
        /// Everything that came on it.
        var text: String { probe.text }
        fileprivate let probe = StreamProbe()
        fileprivate var readCount = 0
        fileprivate(set) var isEnded = false

        init(_ number: Int, _ stream: SocketStream) {
            self.number = number
            self.stream = stream
        }

        func write(_ text: String) { stream.write(Array(text.utf8)) }

        /// Answers with a body of known length.
        func answer(_ body: String, status: String = "200 OK", fields: String = "") {
            write(
                "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\(fields)\r\n\(body)")
        }

        func close() { stream.close() }
    }

    let loop: EventLoop
    let transport: HTTPTransport
    private(set) var port: UInt16 = 0
    /// The connections that the server accepted, in their order.
    private(set) var peers: [Peer] = []
    /// Called with the head of each request, once all of its body has come.
    var onRequest: (Peer, String) -> Void = { peer, _ in peer.answer("x") }
    /// Called with each connection that is accepted.
    var onAccept: (Peer) -> Void = { _ in }
    /// The settings of the server's HTTP/2 connections; nil for a server of HTTP/1.
    var http2: HTTP2Connection.Options?
    /// The server's HTTP/2 connections, in their order.
    private(set) var served: [ServedHTTP2] = []
    /// Called with each whole request of HTTP/2, and with each extended CONNECT.
    var onStream: (ServedHTTP2, ServedHTTP2.Request) -> Void = { server, request in
        server.answer(request, "x")
    }
    /// Called when the transport has closed a connection.
    var onPeerEnd: (Peer) -> Void = { _ in }

    init(_ loop: EventLoop, options: HTTPTransport.Options = .init()) throws {
        self.loop = loop
        transport = HTTPTransport(
            loop: loop,
            connector: Connector(
                loop: loop, resolver: Resolver { _ in .failure(.notFound) },
                tls: try TLSClientContext(store: nil)),
            options: options)
        port = try listen(on: loop) { stream in self.accept(stream) }.port
    }

    /// Runs a scenario on a rig of its own.
    static func run<Value: Sendable>(
        _ options: HTTPTransport.Options = .init(),
        _ scenario:
            @escaping @Sendable (TransportRig, @escaping @Sendable (Value) -> Void) throws
            -> Void
    ) async throws -> Value {
        try await onLoop { loop, finish in
            try scenario(try TransportRig(loop, options: options), finish)
        }
    }

    private func accept(_ stream: SocketStream) {
        let peer = Peer(peers.count + 1, stream)
        peers.append(peer)
        if let http2 {
            let server = ServedHTTP2(peers.count, stream, http2, self)
            served.append(server)
            return onAccept(peer)
        }
        peer.probe.onReceive = { [unowned peer] _, _ in self.read(peer) }
        let end = { [unowned peer] in
            guard !peer.isEnded else { return }
            peer.isEnded = true
            peer.stream.close()
            self.onPeerEnd(peer)
        }
        peer.probe.onEnd = { _, _ in end() }
        peer.probe.onFail = { _ in end() }
        stream.delegate = peer.probe
        onAccept(peer)
    }

    /// Calls `onRequest` for each whole request that has come.
    private func read(_ peer: Peer) {
        while true {
            let rest = peer.probe.received.dropFirst(peer.readCount)
            guard let head = rest.firstRange(of: Array("\r\n\r\n".utf8)) else { return }
            let text = String(decoding: rest[..<head.upperBound], as: UTF8.self)
            let body = rest[head.upperBound...]
            let bodyCount: Int?
            if text.contains("Transfer-Encoding: chunked") {
                let end = body.firstRange(of: Array("0\r\n".utf8))
                    .flatMap { body[$0.upperBound...].firstRange(of: Array("\r\n".utf8)) }
                bodyCount = end.map { $0.upperBound - body.startIndex }
            } else {
                let length = text.firstMatch(of: /Content-Length: (\d+)/).flatMap { Int($0.1) }
                bodyCount = length ?? 0
            }
            guard let bodyCount, body.count >= bodyCount else { return }
            peer.readCount = head.upperBound + bodyCount
            onRequest(peer, text)
        }
    }

    // MARK: Requests

    func target(priorKnowledge: Bool = false) -> ConnectTarget {
        ConnectTarget(
            host: "127.0.0.1", port: port, tls: nil, hasPriorKnowledge: priorKnowledge)
    }

    /// Sends a request; `onEnd` is called once with what came of it.
    @discardableResult
    func send(
        _ path: String = "/", _ method: HTTPMethod = .get, fields: [(String, String)] = [],
        body: BodyLength = .none, extended: String? = nil, affinity: ConnectionAffinity? = nil,
        prepared: PreparedConnection? = nil, priorKnowledge: Bool = false,
        log: ExchangeLog = ExchangeLog(), onEnd: @escaping (ExchangeLog) -> Void = { _ in }
    ) -> ClientExchange {
        let url = RawURL(
            scheme: "http", host: "127.0.0.1", port: port, origin: Array(path.utf8))
        let host = ("Host", "127.0.0.1:\(port)")
        let plain = RequestHead(
            method: method, target: Array(path.utf8), fields: HeaderFields([host] + fields))
        let head = extended.flatMap {
            try? RequestHead.extendedConnect($0, to: url, fields: HeaderFields(fields))
        }
        log.onEnd = onEnd
        let exchange = transport.send(
            OutgoingRequest(
                target: target(priorKnowledge: priorKnowledge),
                message: ForwardedRequest(head: head ?? plain, url: url, body: body)),
            prepared: prepared, affinity: affinity, delegate: log)
        log.exchange = exchange
        return exchange
    }

    /// Sends a request and calls back with what came of it.
    typealias Send = (@escaping (ExchangeLog) -> Void) -> Void

    /// Sends requests one after the other.
    func sendInOrder(
        _ sends: [Send], after logs: [ExchangeLog] = [],
        then done: @escaping ([ExchangeLog]) -> Void
    ) {
        guard let send = sends.first else { return done(logs) }
        send { log in
            // The connection is idle only after this call.
            self.loop.afterDispatch {
                self.sendInOrder(Array(sends.dropFirst()), after: logs + [log], then: done)
            }
        }
    }
}

/// Notes as text what an exchange's delegate is told.
final class ExchangeLog: ClientExchangeDelegate {
    private(set) var events: [String] = []
    private(set) var body: [UInt8] = []
    private(set) var head: ResponseHead?
    private(set) var failure: ExchangeFailure?
    private(set) var isReused: Bool?
    private(set) var stream: (any DuplexStream)?
    var exchange: ClientExchange?
    var onEnd: (ExchangeLog) -> Void = { _ in }
    var onConnect: (ClientExchange) -> Void = { _ in }
    var onHead: (ClientExchange) -> Void = { _ in }
    var onBody: (ClientExchange) -> Void = { _ in }
    var onDrain: (ClientExchange) -> Void = { _ in }

    var bodyText: String { String(decoding: body, as: UTF8.self) }

    func exchange(
        _ exchange: ClientExchange, didConnect facts: ConnectionFacts, isReused: Bool
    ) {
        self.isReused = isReused
        events.append(isReused ? "reused" : "new")
        onConnect(exchange)
    }

    func exchange(_ exchange: ClientExchange, didReceiveInformational head: ResponseHead) {
        events.append("\(head.status)")
    }

    func exchange(_ exchange: ClientExchange, didReceive head: ResponseHead, body: BodyLength) {
        self.head = head
        events.append("\(head.status) \(body)")
        onHead(exchange)
    }

    func exchange(_ exchange: ClientExchange, didReceiveBody bytes: Span<UInt8>) {
        bytes.withUnsafeBufferPointer { body.append(contentsOf: $0) }
        onBody(exchange)
    }

    func exchange(_ exchange: ClientExchange, didReceiveTrailers trailers: HeaderFields) {
        events.append("trailers \(trailers.count)")
    }

    func exchange(
        _ exchange: ClientExchange, didSwitchTo stream: any DuplexStream, head: ResponseHead,
        early: Span<UInt8>
    ) {
        self.head = head
        self.stream = stream
        early.withUnsafeBufferPointer { body.append(contentsOf: $0) }
        events.append("switched \(head.status)")
        onEnd(self)
    }

    func exchangeDidDrain(_ exchange: ClientExchange) {
        events.append("drained")
        onDrain(exchange)
    }

    func exchangeDidEnd(_ exchange: ClientExchange) {
        events.append("end")
        onEnd(self)
    }

    func exchange(_ exchange: ClientExchange, didFail failure: ExchangeFailure) {
        self.failure = failure
        events.append("failed \(failure.origin) \(failure.kind)")
        onEnd(self)
    }
}

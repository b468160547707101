import ProxydEventLoops
import ProxydHTTPModel
import ProxydHTTPWire
import Testing

@testable import ProxydTransport

/// Exchanges over HTTP/2 connections, whatever the server does.
@Suite(.timeLimit(.minutes(5)))
struct HTTP2ClientTests {
    /// How exchanges ended, as far as it can leave the loop.
    private struct Outcome: Sendable {
        var events: [[String]]
        var bodies: [String]
        var resets: [HTTP2ErrorCode?]
        var peerCount: Int
        var connectionCount: Int
        /// What the requests were, as `CONNECTION PATH`, in the order in which they came.
        var arrived: [String]

        init(_ logs: [ExchangeLog], _ rig: TransportRig, _ arrived: [String] = []) {
            events = logs.map(\.events)
            bodies = logs.map(\.bodyText)
            resets = logs.map { $0.exchange?.resetCode }
            peerCount = rig.peers.count
            connectionCount = rig.transport.connectionCount
            self.arrived = arrived
        }
    }

    private final class Arrivals {
        var texts: [String] = []
    }

    private static let served = ["200 chunked", "end"]

    private static func server(
        streamCountMax: UInt32? = nil, extendedConnect: Bool = false
    ) -> HTTP2Connection.Options {
        var options = HTTP2Connection.Options(.server)
        if let streamCountMax { options.settings.concurrentStreamCountMax = streamCountMax }
        options.settings.allowsExtendedConnect = extendedConnect
        return options
    }

    /// Sends requests at the same time to a server of HTTP/2; `answer` returns false for the
    /// default answer.
    private func exchange(
        _ paths: [String], method: HTTPMethod = .get, body: String? = nil,
        _ options: HTTP2Connection.Options = server(), inOrder: Bool = false,
        _ answer: @escaping @Sendable (ServedHTTP2, ServedHTTP2.Request) -> Bool
    ) async throws -> Outcome {
        try await TransportRig.run { rig, finish in
            rig.http2 = options
            let arrivals = Arrivals()
            rig.onStream = { server, request in
                arrivals.texts.append("\(server.number) \(request.path)")
                if !answer(server, request) { server.answer(request, "x") }
            }
            let sends = paths.map { path in
                { (done: @escaping (ExchangeLog) -> Void) in
                    let length = body.map { BodyLength.exactly(UInt64($0.utf8.count)) } ?? .none
                    let exchange = rig.send(
                        path, method, body: length, priorKnowledge: true, onEnd: done)
                    if let body {
                        exchange.sendBody(Array(body.utf8).span)
                        exchange.finishBody(trailers: nil)
                    }
                }
            }
            guard !inOrder else {
                return rig.sendInOrder(sends) { finish(Outcome($0, rig, arrivals.texts)) }
            }
            var logs: [ExchangeLog] = []
            for send in sends {
                send { log in
                    logs.append(log)
                    guard logs.count == paths.count else { return }
                    rig.loop.afterDispatch { finish(Outcome(logs, rig, arrivals.texts)) }
                }
            }
        }
    }

    @Test
    func `concurrent requests to an HTTP/2 server share one connection even before it is open`()
        async throws
    {
        let outcome = try await exchange(["/1", "/2", "/3"]) { _, _ in false }
        #expect(outcome.events.map { $0.suffix(2) } == Array(repeating: Self.served[...], count: 3))
        #expect(outcome.peerCount == 1 && outcome.connectionCount == 1)
        #expect(outcome.arrived == ["1 /1", "1 /2", "1 /3"])
    }

    @Test func `requests to an HTTP/2 server that allows only one stream at a time are all served`()
        async throws
    {
        let outcome = try await exchange(
            ["/1", "/2", "/3"], Self.server(streamCountMax: 1)
        ) { _, _ in false }
        #expect(outcome.events.allSatisfy { $0.last == "end" })
        #expect(Set(outcome.arrived.map { $0.dropFirst(2) }) == ["/1", "/2", "/3"])
    }

    @Test func `an HTTP/2 server known to allow only one stream at a time never has to refuse one`()
        async throws
    {
        let paths = ["/1", "/2", "/3"]
        let outcome: Outcome = try await TransportRig.run { rig, finish in
            rig.http2 = Self.server(streamCountMax: 1)
            let arrivals = Arrivals()
            rig.onStream = { server, request in
                arrivals.texts.append(request.path)
                // Another stream that comes with this one finds it open.
                rig.loop.afterDispatch { server.answer(request, "x") }
            }
            rig.send("/0", priorKnowledge: true) { _ in
                rig.loop.afterDispatch {
                    var logs: [ExchangeLog] = []
                    for path in paths {
                        rig.send(path, priorKnowledge: true) { log in
                            logs.append(log)
                            guard logs.count == paths.count else { return }
                            rig.loop.afterDispatch { finish(Outcome(logs, rig, arrivals.texts)) }
                        }
                    }
                }
            }
        }
        // A request whose stream is refused gets a second connection, and says `new` again.
        #expect(outcome.events.allSatisfy { $0.dropFirst() == Self.served[...] })
        #expect(outcome.arrived.sorted() == ["/0"] + paths)
    }

    @Test func `interim response, head, trailers and end of an HTTP/2 exchange arrive in order`()
        async throws
    {
        let outcome = try await exchange(["/"], method: .post, body: "ping") { server, request in
            server.inform(request, 103)
            server.answer(
                request, String(decoding: request.body, as: UTF8.self) + "/pong",
                trailers: [("x-t", "1")])
            return true
        }
        #expect(
            outcome.events.first?.filter { $0 != "drained" }
                == ["new", "103", "200 chunked", "trailers 1", "end"])
        #expect(outcome.bodies == ["ping/pong"])
    }

    // MARK: Streams that end early

    @Test func `if an HTTP/2 server resets a stream, only the exchange of that stream fails`()
        async throws
    {
        let outcome = try await exchange(["/reset", "/after"], inOrder: true) { server, request in
            guard request.path == "/reset" else { return false }
            server.link.reset(request.id, .enhanceYourCalm)
            return true
        }
        #expect(outcome.events[0] == ["new", "failed upstream closedEarly"])
        #expect(outcome.events[1] == ["reused"] + Self.served)
        #expect(outcome.resets == [.enhanceYourCalm, nil] && outcome.peerCount == 1)
    }

    @Test func `a request that gets REFUSED_STREAM is repeated on another connection only once`()
        async throws
    {
        let outcome = try await exchange(["/a"], method: .post) { server, request in
            guard server.number == 1 else { return false }
            server.link.reset(request.id, .refusedStream)
            return true
        }
        #expect(outcome.events == [["new", "new"] + Self.served])
        #expect(outcome.arrived == ["1 /a", "2 /a"])
        let twice = try await exchange(["/a"]) { server, request in
            server.link.reset(request.id, .refusedStream)
            return true
        }
        #expect(twice.events == [["new", "new", "failed upstream closedEarly"]])
        #expect(twice.resets == [.refusedStream] && twice.peerCount == 2)
    }

    @Test func `a request that gets REFUSED_STREAM after its body was sent is not repeated`()
        async throws
    {
        let outcome = try await exchange(["/a"], method: .put, body: "once") { server, request in
            server.link.reset(request.id, .refusedStream)
            return true
        }
        #expect(outcome.events.first?.last == "failed upstream closedEarly")
        #expect(outcome.resets == [.refusedStream] && outcome.peerCount == 1)
    }

    @Test
    func `after GOAWAY, the current request is answered, and the next one uses a new connection`()
        async throws
    {
        let outcome = try await exchange(["/1", "/2"], inOrder: true) { server, request in
            if request.path == "/1" { server.link.drain() }
            return false
        }
        #expect(outcome.events == [["new"] + Self.served, ["new"] + Self.served])
        #expect(outcome.arrived == ["1 /1", "2 /2"] && outcome.connectionCount == 1)
    }

    @Test func `when an HTTP/2 connection dies, a GET is repeated and a POST fails`() async throws {
        let died: @Sendable (ServedHTTP2, ServedHTTP2.Request) -> Bool = { server, request in
            guard request.path == "/2", server.number == 1 else { return false }
            server.link.abort()
            return true
        }
        let get = try await exchange(["/1", "/2"], inOrder: true, died)
        #expect(get.events[1] == ["reused", "new"] + Self.served)
        let post = try await exchange(["/1", "/2"], method: .post, inOrder: true, died)
        #expect(post.events[1].count == 2 && post.events[1][1].hasPrefix("failed upstream "))
        #expect(post.peerCount == 1)
    }

    @Test func `a request fails when the HTTP/2 server closes the connection with NO_ERROR`()
        async throws
    {
        let outcome = try await exchange(["/1"], method: .post) { server, _ in
            server.link.close(.noError)
            return true
        }
        #expect(outcome.events.first?.last?.hasPrefix("failed upstream ") == true)
        #expect(outcome.connectionCount == 0)
    }

    @Test
    func `a server that resets a stream with HTTP_1_1_REQUIRED is remembered as HTTP/1.1 only`()
        async throws
    {
        let spoken: [SpokenProtocol?] = try await TransportRig.run { rig, finish in
            rig.http2 = Self.server()
            rig.onStream = { server, request in server.link.reset(request.id, .http11Required) }
            let target = rig.target(priorKnowledge: true)
            let before = rig.transport.spoken(by: target)
            rig.send(priorKnowledge: true) { log in
                #expect(log.exchange?.resetCode == .http11Required)
                rig.loop.afterDispatch { finish([before, rig.transport.spoken(by: target)]) }
            }
        }
        #expect(spoken == [nil, .http1])
    }

    // MARK: What the client does

    @Test func `cancelling an HTTP/2 exchange resets its stream and keeps the connection`()
        async throws
    {
        let count: Int = try await TransportRig.run { rig, finish in
            rig.http2 = Self.server()
            rig.onAccept = { _ in
                rig.served.last?.onReset = { code in
                    #expect(code == .cancel)
                    finish(rig.transport.connectionCount)
                }
            }
            let log = ExchangeLog()
            rig.onStream = { _, _ in log.exchange?.cancel() }
            rig.send(priorKnowledge: true, log: log) { _ in Issue.record("it was cancelled") }
        }
        #expect(count == 1)
    }

    @Test func `the priority of an HTTP/2 exchange is sent to the server`() async throws {
        let value: String = try await TransportRig.run { rig, finish in
            rig.http2 = Self.server()
            rig.onAccept = { _ in rig.served.last?.onPriority = { finish($0) } }
            let log = ExchangeLog()
            log.onConnect = { $0.send(priority: Array("u=1, i".utf8)) }
            rig.onStream = { _, _ in }
            rig.send(priorKnowledge: true, log: log)
        }
        #expect(value == "u=1, i")
    }

    @Test func `a paused HTTP/2 exchange does not block other exchanges on its connection`()
        async throws
    {
        let large = String(repeating: "x", count: 3 << 20)
        let outcome: Outcome = try await TransportRig.run { rig, finish in
            rig.http2 = Self.server()
            rig.onStream = { server, request in
                server.answer(request, request.path == "/large" ? large : "x")
            }
            let log = ExchangeLog()
            log.onHead = { exchange in
                exchange.pauseReceiving()
                let small: TransportRig.Send = {
                    rig.send("/small", priorKnowledge: true, onEnd: $0)
                }
                rig.sendInOrder(Array(repeating: small, count: 20)) { logs in
                    #expect(logs.allSatisfy { $0.isReused == true && $0.bodyText == "x" })
                    // No more than the window of a stream.
                    #expect(log.body.count <= 1 << 20)
                    exchange.resumeReceiving()
                }
            }
            rig.send("/large", priorKnowledge: true, log: log) { finish(Outcome([$0], rig)) }
        }
        #expect(outcome.bodies.map(\.utf8.count) == [large.utf8.count] && outcome.peerCount == 1)
    }

    @Test func `the SETTINGS of an HTTP/2 server are reported when they arrive`() async throws {
        let counts: [UInt32?] = try await TransportRig.run { rig, finish in
            rig.http2 = Self.server(streamCountMax: 17)
            var told: [UInt32?] = []
            rig.transport.onHTTP2Facts = { _, facts in
                told.append(facts.peerSettings.first(where: \.isConcurrentStreamCountMax)?.value)
            }
            let log = ExchangeLog()
            rig.send(priorKnowledge: true, log: log) { _ in finish(told) }
        }
        #expect(counts.first == 17)
    }

    // MARK: Agreement

    @Test func `a connection opened to negotiate HTTP/2 serves the next request`() async throws {
        let outcome: Outcome = try await TransportRig.run { rig, finish in
            rig.http2 = Self.server()
            let target = rig.target(priorKnowledge: true)
            _ = rig.transport.agree(on: target, over: nil) { result in
                let agreed = try? result.get()
                #expect(agreed?.spoken == .http2 && agreed?.unused == nil)
                #expect(rig.transport.spoken(by: target) == .http2)
                rig.send(priorKnowledge: true) { finish(Outcome([$0], rig)) }
            }
        }
        #expect(outcome.events == [["new"] + Self.served] && outcome.peerCount == 1)
    }

    @Test
    func `an HTTP/2 connection opened in advance gets the server's SETTINGS before any request`()
        async throws
    {
        let count: Int = try await TransportRig.run { rig, finish in
            rig.http2 = Self.server(extendedConnect: true)
            let target = rig.target(priorKnowledge: true)
            let owner = Arrivals()
            #expect(rig.transport.extendedConnect(by: target) == nil)
            rig.transport.awaitExtendedConnect(by: target, for: owner) {
                #expect(rig.transport.extendedConnect(by: target) != nil)
                finish(rig.transport.connectionCount)
            }
            _ = rig.transport.connect(to: target) { result in
                guard let made = try? result.get() else { return }
                rig.transport.open(PreparedConnection(made), to: target)
            }
        }
        #expect(count == 1)
    }

    // MARK: Other protocols

    @Test func `a stream opened by extended CONNECT carries bytes both ways`() async throws {
        let text: String = try await TransportRig.run { rig, finish in
            rig.http2 = Self.server(extendedConnect: true)
            let (client, server) = (StreamProbe(), StreamProbe())
            rig.onStream = { served, request in
                #expect(request.head.connectProtocol == "websocket")
                let stream = served.agree(request)
                server.onReceive = { stream, _ in
                    stream.write(Array("pong".utf8))
                    stream.shutdownWriting()
                }
                stream.delegate = server
            }
            client.onEnd = { stream, isClean in
                finish("\(client.text) \(server.text) \(isClean)")
                stream.close()
            }
            rig.send("/chat", extended: "websocket", priorKnowledge: true) { log in
                #expect(log.events == ["new", "switched 200"])
                log.stream?.delegate = client
                log.stream?.write(Array("ping".utf8))
            }
        }
        #expect(text == "pong ping true")
    }

    @Test(arguments: [true, false])
    func `closing or aborting an extended CONNECT stream resets it at the server with CANCEL`(
        aborts: Bool
    ) async throws {
        let code: HTTP2ErrorCode = try await TransportRig.run { rig, finish in
            rig.http2 = Self.server(extendedConnect: true)
            rig.onAccept = { _ in rig.served.last?.onReset = { finish($0) } }
            rig.onStream = { served, request in served.agree(request).delegate = StreamProbe() }
            rig.send("/chat", extended: "websocket", priorKnowledge: true) { log in
                let stream = log.stream
                rig.loop.afterDispatch { if aborts { stream?.abort() } else { stream?.close() } }
            }
        }
        #expect(code == .cancel)
    }

    @Test
    func `an extended CONNECT stream that the server resets fails with the server's error code`()
        async throws
    {
        let message: String = try await TransportRig.run { rig, finish in
            rig.http2 = Self.server(extendedConnect: true)
            rig.onStream = { served, request in
                let stream = served.agree(request)
                let probe = StreamProbe()
                probe.onReceive = { _, _ in served.link.reset(request.id, .internalError) }
                stream.delegate = probe
            }
            let probe = StreamProbe()
            probe.onFail = { finish($0.message) }
            rig.send("/chat", extended: "websocket", priorKnowledge: true) { log in
                log.stream?.delegate = probe
                log.stream?.write([1])
            }
        }
        #expect(message == "the server reset the stream: INTERNAL_ERROR")
    }

    @Test func `extended CONNECT fails without being sent if the server does not offer it`()
        async throws
    {
        let outcome: Outcome = try await TransportRig.run { rig, finish in
            rig.http2 = Self.server()
            rig.onStream = { _, _ in Issue.record("it does not take it") }
            rig.send("/chat", extended: "websocket", priorKnowledge: true) {
                finish(Outcome([$0], rig))
            }
        }
        #expect(outcome.events.count == 1 && outcome.events[0][0].hasPrefix("failed "))
        #expect(outcome.connectionCount == 1)
    }
}

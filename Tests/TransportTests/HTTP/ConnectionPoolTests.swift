import ProxydEventLoops
import ProxydHTTPModel
import ProxydHTTPWire
import ProxydTLS
import Testing

@testable import ProxydTransport

/// Which connection carries an exchange, and when connections close.
@Suite(.timeLimit(.minutes(5)))
struct ConnectionPoolTests {
    /// How exchanges went, one after the other.
    private struct Outcome: Sendable {
        var events: [[String]]
        /// On which connection each path arrived.
        var connections: [String: Int]
        var peerCount: Int
        var connectionCount: Int

        init(_ logs: [ExchangeLog], _ rig: TransportRig, _ paths: [String: Int] = [:]) {
            events = logs.map(\.events)
            connections = paths
            peerCount = rig.peers.count
            connectionCount = rig.transport.connectionCount
        }
    }

    private final class Paths {
        var connections: [String: Int] = [:]

        func note(_ text: String, _ peer: TransportRig.Peer) -> String {
            let path = text.split(separator: " ").dropFirst().first.map(String.init) ?? ""
            connections[path] = peer.number
            return path
        }
    }

    private static let served = ["200 exactly(1)", "end"]

    @Test func `successive requests reuse one pooled connection`() async throws {
        let outcome: Outcome = try await TransportRig.run { rig, finish in
            rig.sendInOrder(
                [
                    { rig.send("/1", onEnd: $0) }, { rig.send("/2", .post, onEnd: $0) },
                    { rig.send("/3", .delete, onEnd: $0) },
                ]
            ) { finish(Outcome($0, rig)) }
        }
        #expect(outcome.events == ["new", "reused", "reused"].map { [$0] + Self.served })
        #expect(outcome.peerCount == 1 && outcome.connectionCount == 1)
    }

    @Test
    func `concurrent requests use separate connections; the one that became idle last is reused`()
        async throws
    {
        let outcome: Outcome = try await TransportRig.run { rig, finish in
            let paths = Paths()
            var waiting: [TransportRig.Peer] = []
            rig.onRequest = { peer, text in
                guard paths.note(text, peer) != "/third" else { return peer.answer("x") }
                waiting.append(peer)
                // The first connection is idle before the second.
                if waiting.count == 2 { waiting.sorted { $0.number < $1.number }[0].answer("x") }
            }
            var logs: [ExchangeLog] = []
            let done: (ExchangeLog) -> Void = { log in
                logs.append(log)
                guard logs.count == 2 else {
                    return waiting.sorted { $0.number < $1.number }[1].answer("x")
                }
                rig.loop.afterDispatch {
                    rig.send("/third") { finish(Outcome(logs + [$0], rig, paths.connections)) }
                }
            }
            rig.send("/a", onEnd: done)
            rig.send("/b", onEnd: done)
        }
        #expect(outcome.peerCount == 2 && outcome.connectionCount == 2)
        #expect(outcome.connections["/third"] == 2)
    }

    // MARK: Connections that the server has closed

    /// A server that closes each connection when its second request comes.
    private func stale(
        _ method: HTTPMethod, body: BodyLength = .none
    ) async throws -> (outcome: Outcome, isUnanswered: Bool) {
        let found: (Outcome, Bool) = try await TransportRig.run { rig, finish in
            var counts: [Int: Int] = [:]
            rig.onRequest = { peer, _ in
                counts[peer.number, default: 0] += 1
                if counts[peer.number] == 2 { peer.close() } else { peer.answer("x") }
            }
            rig.sendInOrder(
                [
                    { rig.send("/1", onEnd: $0) },
                    { rig.send("/2", method, body: body, onEnd: $0).finishBody(trailers: nil) },
                ]
            ) { finish((Outcome($0, rig), $0.last?.exchange?.isUnanswered == true)) }
        }
        return (found.0, found.1)
    }

    @Test(arguments: [HTTPMethod.get, .head, .put, .delete, .options])
    func `an idempotent request is repeated on a new connection if the reused one closes`(
        method: HTTPMethod
    ) async throws {
        let (outcome, isUnanswered) = try await stale(method)
        #expect(outcome.events.last?.starts(with: ["reused", "new"]) == true)
        #expect(outcome.events.last?.last == "end" && outcome.peerCount == 2 && !isUnanswered)
    }

    @Test(arguments: [(HTTPMethod.post, BodyLength.none), (.patch, .none), (.put, .chunked)])
    func `a request that must not be repeated fails as unanswered if the reused connection closes`(
        method: HTTPMethod, body: BodyLength
    ) async throws {
        let (outcome, isUnanswered) = try await stale(method, body: body)
        #expect(outcome.events.last == ["reused", "failed upstream closedEarly"])
        #expect(outcome.peerCount == 1 && isUnanswered)
    }

    @Test func `a request that fails on a reused connection is repeated only once, on a new one`()
        async throws
    {
        let outcome: Outcome = try await TransportRig.run { rig, finish in
            rig.onRequest = { peer, text in
                if text.hasPrefix("GET /1 ") { peer.answer("x") } else { peer.close() }
            }
            rig.sendInOrder([{ rig.send("/1", onEnd: $0) }, { rig.send("/2", onEnd: $0) }]) {
                finish(Outcome($0, rig))
            }
        }
        #expect(outcome.events.last == ["reused", "new", "failed upstream closedEarly"])
        #expect(outcome.peerCount == 2)
    }

    @Test func `a request is not repeated after part of its response has arrived`() async throws {
        let outcome: Outcome = try await TransportRig.run { rig, finish in
            rig.onRequest = { peer, text in
                if text.hasPrefix("GET /1 ") { return peer.answer("x") }
                peer.write("H")
                peer.close()
            }
            rig.sendInOrder([{ rig.send("/1", onEnd: $0) }, { rig.send("/2", onEnd: $0) }]) {
                finish(Outcome($0, rig))
            }
        }
        #expect(outcome.events.last == ["reused", "failed upstream closedEarly"])
        #expect(outcome.peerCount == 1)
    }

    @Test func `a pooled connection on which the server sends unrequested bytes is not reused`()
        async throws
    {
        let outcome: Outcome = try await TransportRig.run { rig, finish in
            rig.onPeerEnd = { peer in
                #expect(peer.number == 1 && rig.transport.connectionCount == 0)
                rig.send("/2") { finish(Outcome([$0], rig)) }
            }
            rig.send("/1") { _ in
                rig.loop.afterDispatch { rig.peers[0].write("HTTP/1.1 200 OK\r\n\r\nevil") }
            }
        }
        #expect(outcome.events == [["new"] + Self.served] && outcome.peerCount == 2)
    }

    // MARK: Limits

    @Test(arguments: [(1, 512, 1), (64, 2, 2), (0, 512, 0), (64, 0, 0), (64, 512, 3)])
    func `the pool keeps idle connections up to its limits per server and in total`(
        perTarget: Int, inAll: Int, kept: Int
    ) async throws {
        var options = HTTPTransport.Options()
        (options.idlePerTargetCountMax, options.idleCountMax) = (perTarget, inAll)
        let outcome: Outcome = try await TransportRig.run(options) { rig, finish in
            var waiting: [TransportRig.Peer] = []
            rig.onRequest = { peer, _ in
                waiting.append(peer)
                if waiting.count == 3 { for peer in waiting { peer.answer("x") } }
            }
            var logs: [ExchangeLog] = []
            for _ in 0..<3 {
                rig.send { log in
                    logs.append(log)
                    if logs.count == 3 {
                        rig.loop.afterDispatch { finish(Outcome(logs, rig)) }
                    }
                }
            }
        }
        #expect(outcome.connectionCount == kept && outcome.peerCount == 3)
    }

    @Test func `a pooled connection is closed after its idle timeout`() async throws {
        var options = HTTPTransport.Options()
        options.idleTimeoutNs = 1_000_000
        let isEmpty: Bool = try await TransportRig.run(options) { rig, finish in
            rig.onPeerEnd = { _ in finish(rig.transport.connectionCount == 0) }
            rig.send()
        }
        #expect(isEmpty)
    }

    @Test(arguments: [false, true])
    func `closing or aborting all idle connections leaves busy ones open`(aborts: Bool) async throws
    {
        let outcome: Outcome = try await TransportRig.run { rig, finish in
            var held: TransportRig.Peer?
            rig.onRequest = { peer, text in
                if text.hasPrefix("GET /held ") { held = peer } else { peer.answer("x") }
            }
            rig.onPeerEnd = { peer in
                #expect(peer !== held && rig.transport.connectionCount == 1)
                held?.answer("x")
            }
            rig.send("/held") { finish(Outcome([$0], rig)) }
            rig.send("/idle") { _ in
                rig.loop.afterDispatch {
                    #expect(rig.transport.hasIdleConnection(to: rig.target()))
                    if aborts { rig.transport.abortIdle() } else { rig.transport.closeIdle() }
                    #expect(!rig.transport.hasIdleConnection(to: rig.target()))
                }
            }
        }
        #expect(outcome.events == [["new"] + Self.served])
    }

    @Test
    func `after a configuration reload, connections finish their exchange but are not reused`()
        async throws
    {
        let outcome: Outcome = try await TransportRig.run { rig, finish in
            rig.onRequest = { peer, text in
                guard text.hasPrefix("GET /during ") else { return peer.answer("x") }
                let context = try? TLSClientContext(store: nil)
                if let context { rig.transport.reconfigure(.init(), clientContext: context) }
                peer.answer("x")
            }
            rig.sendInOrder(
                [{ rig.send("/during", onEnd: $0) }, { rig.send("/after", onEnd: $0) }]
            ) { finish(Outcome($0, rig)) }
        }
        #expect(outcome.events == [["new"] + Self.served, ["new"] + Self.served])
        #expect(outcome.peerCount == 2 && outcome.connectionCount == 1)
    }

    // MARK: Clients

    private static func client(_ number: Int64) -> ConnectionAffinity {
        ConnectionAffinity(client: ConnectionID(rawValue: number))
    }

    @Test func `each client gets the pooled connection that served it last`() async throws {
        let outcome: Outcome = try await TransportRig.run { rig, finish in
            let paths = Paths()
            rig.onRequest = { peer, text in
                _ = paths.note(text, peer)
                peer.answer("x")
            }
            let (first, second) = (Self.client(1), Self.client(2))
            rig.sendInOrder(
                [
                    { rig.send("/a1", .post, affinity: first, onEnd: $0) },
                    // Not repeatable, so it does not take the other client's connection.
                    { rig.send("/b1", .post, affinity: second, onEnd: $0) },
                    { rig.send("/a2", .post, affinity: first, onEnd: $0) },
                    { rig.send("/b2", .post, affinity: second, onEnd: $0) },
                ]
            ) { finish(Outcome($0, rig, paths.connections)) }
        }
        #expect(outcome.connections == ["/a1": 1, "/b1": 2, "/a2": 1, "/b2": 2])
    }

    @Test func `a pooled connection can serve other clients once its own client has disconnected`()
        async throws
    {
        let outcome: Outcome = try await TransportRig.run { rig, finish in
            let first = Self.client(1)
            rig.sendInOrder(
                [
                    { rig.send("/1", affinity: first, onEnd: $0) },
                    { done in
                        rig.transport.release(first)
                        rig.send("/2", affinity: Self.client(2), onEnd: done)
                    },
                ]
            ) { finish(Outcome($0, rig)) }
        }
        #expect(outcome.events.last?.first == "reused" && outcome.peerCount == 1)
    }

    @Test
    func `a connection bound to a client serves no other and closes when the client disconnects`()
        async throws
    {
        let outcome: Outcome = try await TransportRig.run { rig, finish in
            let paths = Paths()
            rig.onRequest = { peer, text in
                _ = paths.note(text, peer)
                peer.answer("x")
            }
            let (owner, other) = (Self.client(1), Self.client(2))
            let log = ExchangeLog()
            log.onConnect = { $0.bindConnection() }
            var logs: [ExchangeLog] = []
            rig.onPeerEnd = { peer in
                #expect(peer.number == 1)
                finish(Outcome(logs, rig, paths.connections))
            }
            rig.sendInOrder(
                [
                    { rig.send("/login", affinity: owner, log: log, onEnd: $0) },
                    { rig.send("/other", affinity: other, onEnd: $0) },
                    { rig.send("/own", affinity: owner, onEnd: $0) },
                ]
            ) {
                logs = $0
                rig.transport.release(owner)
            }
        }
        #expect(outcome.connections == ["/login": 1, "/other": 2, "/own": 1])
        #expect(outcome.events.map(\.last) == ["end", "end", "end"])
    }

    @Test
    func `after a client loses the connection bound to it, its next request fails as unanswered`()
        async throws
    {
        let outcome: Outcome = try await TransportRig.run { rig, finish in
            let owner = Self.client(1)
            let log = ExchangeLog()
            log.onConnect = { $0.bindConnection() }
            owner.onBoundLost = {
                rig.send("/after", affinity: owner) { log in
                    #expect(log.exchange?.isUnanswered == true)
                    finish(Outcome([log], rig))
                }
            }
            rig.send("/login", affinity: owner, log: log) { _ in
                rig.loop.afterDispatch { rig.peers[0].close() }
            }
        }
        #expect(outcome.events == [["failed upstream closedEarly"]] && outcome.peerCount == 1)
    }

    // MARK: Connections made before

    /// Connects, and calls with the connection once the server has accepted it.
    private static func prepare(
        _ rig: TransportRig, _ use: @escaping (PreparedConnection) -> Void
    ) {
        _ = rig.transport.connect(to: rig.target()) { result in
            if let made = try? result.get() {
                use(PreparedConnection(made))
            } else {
                Issue.record("no connection")
            }
        }
    }

    @Test
    func `a connection opened in advance serves the first request and is reused from the pool`()
        async throws
    {
        let outcome: Outcome = try await TransportRig.run { rig, finish in
            Self.prepare(rig) { prepared in
                rig.sendInOrder(
                    [
                        { rig.send("/1", prepared: prepared, onEnd: $0) },
                        { rig.send("/2", prepared: prepared, onEnd: $0) },
                    ]
                ) { finish(Outcome($0, rig)) }
            }
        }
        #expect(outcome.events.map(\.first) == ["new", "reused"] && outcome.peerCount == 1)
    }

    @Test func `a connection opened in advance is not used if the server sends first`() async throws
    {
        let outcome: Outcome = try await TransportRig.run { rig, finish in
            Self.prepare(rig) { prepared in
                prepared.onLost = {
                    rig.send("/1", prepared: prepared) { finish(Outcome([$0], rig)) }
                }
                if let peer = rig.peers.first {
                    peer.write("hello")
                } else {
                    rig.onAccept = { if $0.number == 1 { $0.write("hello") } }
                }
            }
        }
        #expect(outcome.events == [["new"] + Self.served])
        #expect(outcome.peerCount == 2)
    }

    @Test
    func `a connection opened to negotiate HTTP/2 is returned unused if the server uses HTTP/1`()
        async throws
    {
        let spoken: [String] = try await TransportRig.run { rig, finish in
            let target = rig.target()
            _ = rig.transport.agree(on: target, over: nil) { result in
                let agreed = try? result.get()
                agreed?.unused?.stream.close()
                finish([
                    agreed?.unused == nil ? "kept" : "given back",
                    "\(rig.transport.connectionCount)",
                ])
            }
        }
        #expect(spoken == ["given back", "0"])
    }
}

/// Which connections to servers belong to one client.
struct ConnectionAffinityTests {
    @Test func `a client that is bound to a server has its own pool key for that server only`() {
        let affinity = ConnectionAffinity(client: ConnectionID(rawValue: 7))
        let (a, b) = (
            ConnectTarget(host: "a", port: 1, tls: nil), ConnectTarget(host: "b", port: 1, tls: nil)
        )
        let shared = affinity.key(for: a)
        affinity.bind(to: a)
        #expect(affinity.key(for: a) != shared)
        #expect(affinity.key(for: b) == ConnectionAffinity(client: .init(rawValue: 8)).key(for: b))
        affinity.bind(to: a)
        #expect(affinity.boundTargets == [a])
    }

    @Test func `a client with connections bound to too many servers is disconnected`() {
        let affinity = ConnectionAffinity(client: ConnectionID(rawValue: 7))
        var endings = 0
        affinity.onBoundLost = { endings += 1 }
        for port in 1...UInt16(ConnectionAffinity.boundCountMax) {
            affinity.bind(to: ConnectTarget(host: "a", port: port, tls: nil))
        }
        #expect(endings == 0)
        affinity.bind(to: ConnectTarget(host: "a", port: 99, tls: nil))
        #expect(endings == 1)
        affinity.release()
        affinity.bind(to: ConnectTarget(host: "a", port: 100, tls: nil))
        #expect(endings == 1 && affinity.isReleased)
    }
}

/// Exchanges that wait for a server's word on extended CONNECT.
struct ExtendedConnectWatchTests {
    @Test
    func `an observer of extended CONNECT support is called once, or never if it was removed`() {
        final class Owner {}
        let (first, second) = (Owner(), Owner())
        let target = ConnectTarget(host: "a", port: 1, tls: nil)
        let other = ConnectTarget(host: "b", port: 1, tls: nil)
        var told: [String] = []
        var watch = ExtendedConnectWatch()
        watch.add(target, for: first) { told.append("first") }
        watch.add(target, for: second) { told.append("second") }
        watch.add(other, for: first) { told.append("other") }
        watch.remove(target, for: second)
        watch.remove(other, for: second)
        for tell in watch.take(target) { tell() }
        #expect(told == ["first"] && watch.take(target).isEmpty)
        #expect(watch.take(other).count == 1)
    }
}

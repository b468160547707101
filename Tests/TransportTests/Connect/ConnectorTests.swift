import ProxydEventLoops
import ProxydHTTPModel
import ProxydTLS
import ProxydTestSupport
import Testing

@testable import ProxydTransport

@Suite(.timeLimit(.minutes(10)))
struct ConnectorTests {
    let fixture: TLSFixture

    init() throws { fixture = try TLSFixture() }

    /// What came of connecting, as far as it can leave the loop.
    enum Outcome: Sendable {
        case connected(ConnectTimings, ConnectionRecord.Security?, peer: SocketAddress)
        case failed(ExchangeFailure)

        init(_ result: Result<EstablishedConnection, ExchangeFailure>) {
            switch result {
            case .success(let made):
                self = .connected(made.timings, made.security, peer: made.stream.peerAddress)
                made.stream.close()
            case .failure(let failure): self = .failed(failure)
            }
        }

        var failure: ExchangeFailure? {
            if case .failed(let failure) = self { failure } else { nil }
        }
        var timings: ConnectTimings? {
            if case .connected(let timings, _, _) = self { timings } else { nil }
        }
        var security: ConnectionRecord.Security? {
            if case .connected(_, let security, _) = self { security } else { nil }
        }
    }

    static func resolver(_ ips: [String]) -> Resolver {
        Resolver { _ in .success(ips.compactMap { SocketAddress(ip: $0, port: 0) }) }
    }

    /// Connects to a server of its own kind at a free port.
    private func connect(
        host: String = "name.test", resolver: Resolver = resolver(["127.0.0.1"]),
        policy: TLSPolicy? = nil, timeoutNs: Int64 = 60_000_000_000,
        permission: @escaping @Sendable (SocketAddress) -> ConnectPermission = { _ in .granted },
        server: @escaping @Sendable (SocketStream) -> Void = { $0.delegate = StreamProbe() }
    ) async throws -> Outcome {
        try await onLoop { [fixture] loop, finish in
            let address = try listen(on: loop, server)
            let connector = Connector(
                loop: loop, resolver: resolver, tls: fixture.trusting, permission: permission)
            _ = connector.connect(
                to: ConnectTarget(host: host, port: address.port, tls: policy),
                deadlineNs: loop.now + timeoutNs
            ) { finish(Outcome($0)) }
        }
    }

    /// A TLS server that shows a certificate for `name`.
    private func server(_ name: String) throws -> @Sendable (SocketStream) -> Void {
        let context = try fixture.leaves.serverContext(for: name)
        return { stream in
            let secured = TLSStream(
                server: context, over: stream, handshakeTimeoutNs: 60_000_000_000
            ) { outcome in if case .failure = outcome { stream.close() } }
            secured.delegate = StreamProbe()
            secured.start()
        }
    }

    @Test func `connecting to a host name records the times of DNS lookup and connect in order`()
        async throws
    {
        let timings = try #require(try await connect().timings)
        let moments = [timings.dnsStart, timings.dnsEnd, timings.connectStart, timings.connectEnd]
            .compactMap { $0 }
        #expect(moments.count == 4)
        #expect(moments == moments.sorted())
        #expect(timings.tlsStart == nil && timings.tlsEnd == nil)
    }

    @Test(arguments: ["127.0.0.1", "[::ffff:127.0.0.1]"])
    func `connecting to an IP address does no DNS lookup`(host: String) async throws {
        let resolver = Resolver { _ in .failure(.notFound) }
        let timings = try #require(try await connect(host: host, resolver: resolver).timings)
        #expect(timings.dnsStart == nil && timings.dnsEnd == nil)
        #expect(timings.connectStart != nil)
    }

    @Test func `the connector tries the next address if one refuses the connection`() async throws {
        let outcome = try await connect(resolver: Self.resolver(["127.0.0.2", "127.0.0.1"]))
        guard case .connected(_, _, let peer) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(peer.ip == "127.0.0.1")
    }

    @Test func `a refused connection is reported as such, with the host name`() async throws {
        let failure = try await connect(resolver: Self.resolver(["127.0.0.2"])).failure
        #expect(failure?.kind == .connectionRefused)
        #expect(failure?.origin == .upstream)
        #expect(failure?.message.hasPrefix("cannot connect to name.test:") == true)
    }

    @Test(arguments: [
        (HostLookupError.notFound, ExchangeFailure.Kind.nameResolution),
        (.temporary, .nameResolution), (.overloaded, .overloaded),
    ])
    func `each kind of DNS lookup error is reported as the matching connection failure`(
        error: HostLookupError, kind: ExchangeFailure.Kind
    ) async throws {
        let resolver = Resolver { _ in .failure(error) }
        #expect(try await connect(resolver: resolver).failure?.kind == kind)
    }

    @Test func `connecting to the proxy's own address is reported as a loop`() async throws {
        let failure = try await connect(
            permission: { $0.isLoopback ? .ownAddress : .granted }
        ).failure
        #expect(failure?.kind == .loop)
    }

    @Test
    func `a host that is reachable only at the proxy's own address is reported as a loop`()
        async throws
    {
        let outcome = try await connect(
            resolver: Self.resolver(["127.0.0.1", "127.0.0.2"]),
            permission: { $0.ip == "127.0.0.1" ? .ownAddress : .granted })
        #expect(outcome.failure?.kind == .loop)
    }

    @Test func `a connection to a host name that resolves to a forbidden address is refused`()
        async throws
    {
        let failure = try await connect(
            resolver: Self.resolver(["127.0.0.1"]), permission: { _ in .denied }
        ).failure
        #expect(failure?.kind == .refused)
        #expect(failure?.origin == .client)
        #expect(failure?.message.hasPrefix("the address of name.test:") == true)
        #expect(failure?.message.hasSuffix(" is not allowed: 127.0.0.1") == true)
    }

    @Test func `forbidden addresses of a host name are skipped in favor of its other addresses`()
        async throws
    {
        let outcome = try await connect(
            resolver: Self.resolver(["127.0.0.2", "127.0.0.1"]),
            permission: { $0.ip == "127.0.0.2" ? .denied : .granted })
        guard case .connected(_, _, let peer) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(peer.ip == "127.0.0.1")
    }

    @Test func `a hanging DNS lookup ends at the connection deadline`() async throws {
        let gate = Gate()
        defer { gate.open() }
        let resolver = Resolver { _ in
            gate.waitOnThread()
            return .failure(.notFound)
        }
        let failure = try await connect(resolver: resolver, timeoutNs: 1_000_000).failure
        #expect(failure?.kind == .timedOut)
    }

    @Test func `a cancelled connection attempt never calls its completion handler`() async throws {
        let isDone: Bool = try await onLoop { [fixture] loop, finish in
            let address = try listen(on: loop) { $0.delegate = StreamProbe() }
            let connector = Connector(
                loop: loop, resolver: Self.resolver(["127.0.0.1"]), tls: fixture.trusting)
            for host in ["name.test", "127.0.0.1"] {
                connector.connect(
                    to: ConnectTarget(host: host, port: address.port, tls: nil),
                    deadlineNs: loop.now + 1_000_000
                ) { _ in Issue.record("told after cancel") }.cancel()
            }
            loop.schedule(afterNs: 20_000_000) { finish(true) }
        }
        #expect(isDone)
    }

    // MARK: TLS

    @Test func `a TLS connection reports its version, ALPN, server name, certificates and times`()
        async throws
    {
        let outcome = try await connect(
            policy: TLSPolicy(name: "name.test"), server: try server("name.test"))
        let security = try #require(outcome.security)
        #expect(security.version == "TLSv1.3")
        #expect(security.alpn == "http/1.1")
        #expect(security.serverName == "name.test")
        #expect(security.peerCertificates.isEmpty == false)
        let timings = try #require(outcome.timings)
        let moments = [timings.connectEnd, timings.tlsStart, timings.tlsEnd].compactMap { $0 }
        #expect(moments.count == 3 && moments == moments.sorted())
    }

    @Test
    func `a certificate for another host name is rejected, and the error states that host name`()
        async throws
    {
        let failure = try await connect(
            policy: TLSPolicy(name: "name.test"), server: try server("other.test")
        ).failure
        #expect(failure?.kind == .certificate)
        #expect(failure?.message.contains("other.test") == true)
    }

    @Test func `a server that does not speak TLS is reported as a handshake failure`() async throws
    {
        let failure = try await connect(
            policy: TLSPolicy(name: "name.test"),
            server: { stream in
                stream.delegate = StreamProbe()
                stream.write(Array("220 mail.test ESMTP\r\n".utf8))
            }
        ).failure
        #expect(failure?.kind == .tlsHandshake)
    }

    /// Connects plainly, and makes the connection secure afterwards.
    private func secureLater(
        timeoutNs: Int64, server: @escaping @Sendable (SocketStream) -> Void
    ) async throws -> Outcome {
        try await onLoop { [fixture] loop, finish in
            let address = try listen(on: loop, server)
            let connector = Connector(
                loop: loop, resolver: Self.resolver(["127.0.0.1"]), tls: fixture.trusting)
            let target = { (policy: TLSPolicy?) in
                ConnectTarget(host: "name.test", port: address.port, tls: policy)
            }
            _ = connector.connect(
                to: target(nil), deadlineNs: loop.now + 60_000_000_000
            ) { plain in
                guard let plain = try? plain.get() else { return finish(Outcome(plain)) }
                _ = connector.secure(
                    plain, for: target(TLSPolicy(name: "name.test")),
                    deadlineNs: loop.now + timeoutNs
                ) { finish(Outcome($0)) }
            }
        }
    }

    @Test func `an open plain connection can be upgraded to TLS`() async throws {
        let outcome = try await secureLater(
            timeoutNs: 60_000_000_000, server: try server("name.test"))
        #expect(outcome.security != nil)
        #expect(outcome.timings?.dnsStart != nil && outcome.timings?.tlsEnd != nil)
    }

    @Test func `a TLS handshake with a silent server ends at the deadline`() async throws {
        let outcome = try await secureLater(timeoutNs: 1_000_000) { $0.delegate = StreamProbe() }
        #expect(outcome.failure?.kind == .timedOut)
        #expect(outcome.failure?.message.contains("TLS handshake") == true)
    }
}

/// What is recorded if no connection to a server could be made.
struct ConnectFailureTests {
    private let target = ConnectTarget(host: "a.test", port: 80, tls: nil)

    @Test(arguments: [
        (StreamError.Kind.refused, ExchangeFailure.Kind.connectionRefused, "upstream"),
        (.timedOut, .timedOut, "upstream"), (.exhausted, .overloaded, "proxy"),
        (.unreachable, .connectFailed, "upstream"), (.reset, .connectFailed, "upstream"),
        (.notPermitted, .connectFailed, "upstream"),
    ])
    func `each kind of connection failure is attributed to the upstream or the proxy`(
        kind: StreamError.Kind, wanted: ExchangeFailure.Kind, origin: String
    ) {
        let error = StreamError(kind: kind, message: "why")
        let failure = ExchangeFailure.connecting(error, to: target)
        #expect(failure.kind == wanted && failure.origin.rawValue == origin)
        #expect(failure.message.hasPrefix("cannot connect to a.test:80: "))
    }

    @Test(arguments: [
        (HostLookupError.notFound, ExchangeFailure.Kind.nameResolution, "upstream"),
        (.temporary, .nameResolution, "upstream"), (.timedOut, .timedOut, "upstream"),
        (.overloaded, .overloaded, "proxy"), (.other("x"), .nameResolution, "upstream"),
    ])
    func `the error for a failed DNS lookup names the host`(
        error: HostLookupError, wanted: ExchangeFailure.Kind, origin: String
    ) {
        let failure = ExchangeFailure.lookup(error, host: "a.test")
        #expect(failure.kind == wanted && failure.origin.rawValue == origin)
        #expect(failure.message == "cannot look up a.test: \(error)")
    }
}

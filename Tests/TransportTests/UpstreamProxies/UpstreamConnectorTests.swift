import ProxydEventLoops
import ProxydHTTPModel
import ProxydTLS
import ProxydTestSupport
import Testing

@testable import ProxydTransport

/// Connecting through a scripted upstream proxy.
@Suite(.timeLimit(.minutes(10)))
struct UpstreamConnectorTests {
    /// What came of it, as far as it can leave the loop.
    struct Outcome: Sendable {
        var failure: ExchangeFailure?
        var upstream: String?
        var early: [UInt8] = []
        /// What the proxy received, one text for each connection.
        var asked: [String] = []
    }

    final class Asked {
        var texts: [String] = []
    }

    /// Connects to `server.test:443` through a proxy that answers each connection with the next of
    /// `answers`, in pieces of `pieceByteCount` bytes.
    private func connect(
        _ kind: UpstreamProxy.Kind = .http, password: ProxyPassword? = nil,
        host: String = "server.test", answers: [[UInt8]],
        pieceByteCount: Int = .max, hopCount: Int = 1,
        permission: @escaping @Sendable (SocketAddress) -> ConnectPermission = { _ in .granted }
    ) async throws -> Outcome {
        try await onLoop { loop, finish in
            let asked = Asked()
            let address = try listen(on: loop) { stream in
                let index = asked.texts.count
                asked.texts.append("")
                let probe = StreamProbe()
                probe.onReceive = { stream, _ in
                    guard asked.texts[index].isEmpty else { return }
                    asked.texts[index] = probe.text
                    var rest = index < answers.count ? answers[index][...] : []
                    while !rest.isEmpty {
                        stream.write(Array(rest.prefix(pieceByteCount)))
                        rest = rest.dropFirst(pieceByteCount)
                    }
                    if index >= answers.count { stream.close() }
                }
                stream.delegate = probe
            }
            let proxy = UpstreamProxy(
                name: "corp", kind: kind, host: "127.0.0.1", port: address.port,
                password: password)
            let connector = Connector(
                loop: loop, resolver: Resolver { _ in .failure(.notFound) },
                tls: try TLSClientContext(store: nil), permission: permission)
            var way = UpstreamRoute(proxy)
            way.hopCount = hopCount
            _ = connector.connect(
                to: ConnectTarget(
                    host: host, port: 443, tls: nil,
                    route: ConnectRoute(upstream: .through(way))),
                deadlineNs: loop.now + 60_000_000_000
            ) { result in
                var outcome = Outcome(asked: asked.texts)
                switch result {
                case .success(let established):
                    outcome.upstream = established.upstream
                    outcome.early = established.early
                    established.stream.close()
                case .failure(let failure): outcome.failure = failure
                }
                finish(outcome)
            }
        }
    }

    private static let accepted = Array("HTTP/1.1 200 OK\r\n\r\n".utf8)
    private static func challenge(_ text: String) -> [UInt8] {
        Array("HTTP/1.1 407 No\r\nProxy-Authenticate: \(text)\r\n\r\n".utf8)
    }
    private static let me = ProxyPassword(user: "me", password: "secret")

    @Test(arguments: [1, 7, Int.max])
    func `an upstream HTTP proxy is asked for a tunnel by host name, not by IP address`(
        pieceByteCount: Int
    ) async throws {
        let outcome = try await connect(
            answers: [Self.accepted + Array("220".utf8)], pieceByteCount: pieceByteCount)
        #expect(outcome.upstream == "corp")
        #expect(Array("220".utf8).starts(with: outcome.early))
        #expect(
            outcome.asked.first == "CONNECT server.test:443 HTTP/1.1\r\nHost: server.test:443\r\n"
                + "Proxyd-Hops: 1\r\n\r\n")
    }

    @Test
    func `an upstream Digest challenge is answered on a new connection with the strongest hash`()
        async throws
    {
        let outcome = try await connect(
            password: Self.me,
            answers: [
                Self.challenge(
                    "Digest realm=\"p\", nonce=\"a\", qop=\"auth\", algorithm=MD5, "
                        + "Digest realm=\"p\", nonce=\"b\", qop=\"auth\", algorithm=SHA-256"),
                Self.accepted,
            ])
        #expect(outcome.failure == nil)
        #expect(outcome.asked.count == 2)
        #expect(outcome.asked[0].contains("Proxy-Authorization: Basic bWU6c2VjcmV0\r\n"))
        #expect(outcome.asked[1].contains("algorithm=SHA-256"))
        #expect(outcome.asked[1].contains("nonce=\"b\", uri=\"server.test:443\""))
    }

    @Test
    func `a password that an upstream proxy rejects is tried once with Basic and once with Digest`()
        async throws
    {
        let challenge = Self.challenge("Digest realm=\"p\", nonce=\"a\", qop=\"auth\"")
        let outcome = try await connect(
            password: Self.me, answers: [challenge, challenge, challenge, challenge])
        #expect(outcome.asked.count == 2)
        #expect(outcome.failure?.origin == .proxy)
        #expect(outcome.failure?.message.contains("\"corp\" does not accept") == true)
    }

    @Test func `if an upstream proxy calls every Digest nonce stale, only one new nonce is tried`()
        async throws
    {
        let challenge = Self.challenge(
            "Digest realm=\"p\", nonce=\"a\", qop=\"auth\", stale=true")
        let outcome = try await connect(
            password: Self.me, answers: Array(repeating: challenge, count: 9))
        #expect(outcome.asked.count == 3)
        #expect(outcome.failure != nil)
    }

    @Test(arguments: [[], [UInt8("x".utf8.first ?? 0)], Array("SSH-2.0-x\r\n".utf8)])
    func `an invalid response from an upstream proxy fails with an error that names the proxy`(
        answer: [UInt8]
    ) async throws {
        let outcome = try await connect(answers: answer.isEmpty ? [] : [answer + [13, 10, 13, 10]])
        #expect(outcome.failure?.kind == .connectFailed)
        #expect(outcome.failure?.message.contains("upstream proxy \"corp\"") == true)
    }

    @Test func `connecting to an IPv6 address through a SOCKS 4 proxy fails with an explanation`()
        async throws
    {
        let outcome = try await connect(.socks4a, host: "2001:db8::1", answers: [])
        #expect(outcome.failure?.message.contains("SOCKS 4 cannot reach this address") == true)
        #expect(outcome.failure?.origin == .proxy)
    }

    @Test
    func `an upstream proxy is never asked to connect to a forbidden address in any notation`()
        async throws
    {
        for host in ["169.254.1.1", "0xa9fe0101", "2851995905"] {
            let outcome = try await connect(host: host, answers: [Self.accepted]) {
                $0.ip == "169.254.1.1" ? .denied : .granted
            }
            #expect(outcome.failure?.kind == .refused, "\(host)")
            #expect(outcome.asked.isEmpty)
        }
    }

    @Test
    func `an upstream proxy may have a forbidden address, but not the address of this proxy`()
        async throws
    {
        let denied = try await connect(answers: [Self.accepted]) { _ in .denied }
        #expect(denied.upstream == "corp")
        let own = try await connect(answers: [Self.accepted]) { _ in .ownAddress }
        #expect(own.failure?.kind == .loop)
        #expect(own.failure?.message.contains("\"corp\"") == true)
    }

    @Test func `a chain of more than eight proxies is refused as a loop`() async throws {
        #expect(try await connect(answers: [Self.accepted], hopCount: 8).failure == nil)
        let outcome = try await connect(answers: [Self.accepted], hopCount: 9)
        #expect(outcome.failure?.kind == .loop)
        #expect(outcome.asked.isEmpty)
    }

    @Test
    func `a route to an unconfigured upstream proxy fails with an error that names the proxy`()
        async throws
    {
        let failure: ExchangeFailure? = try await onLoop { loop, finish in
            let connector = Connector(
                loop: loop, resolver: Resolver { _ in .failure(.notFound) },
                tls: try TLSClientContext(store: nil))
            _ = connector.connect(
                to: ConnectTarget(
                    host: "a.test", port: 80, tls: nil,
                    route: ConnectRoute(upstream: .named("gone"))),
                deadlineNs: loop.now + 60_000_000_000
            ) { result in
                if case .failure(let failure) = result { finish(failure) } else { finish(nil) }
            }
        }
        #expect(failure?.message == "the configuration has no upstream proxy \"gone\"")
    }
}

import Capture
import ClientLib
import Foundation
import ProxyLib
import ProxydCaptureModel
import ProxydClientTestSupport
import ProxydFilter
import ProxydTLS
import ProxydTestSupport
import Testing

/// Proxies as a program embeds them, with a real client and a real server, over HTTP and within
/// intercepted HTTPS.
@Suite struct ProxyTests {
    @Test(arguments: [false, true])
    func `a traffic handler can add a header to the request and to the response`(isSecure: Bool)
        async throws
    {
        let world = try await World(isSecure: isSecure) { $0.handler = HeaderAdder() }
        let response = await world.get("/page").response
        #expect(response.response?.headers["X-Response"] == "changed")
        #expect(world.server.received.map { $0.header("X-Request") } == ["1 from 127.0.0.1"])
        await world.stop()

        let exchange = try #require(world.exchanges.all.first)
        #expect(exchange.request.url?.description == world.url("/page"))
        #expect(exchange.request.head?.fields["X-Request"] == nil)
        #expect(exchange.request.sentHead?.fields["X-Request"] == "1 from 127.0.0.1")
        #expect(exchange.response?.head.fields["X-Response"] == nil)
        #expect(exchange.response?.sentHead?.fields["X-Response"] == "changed")
    }

    @Test(arguments: [false, true])
    func `a program that embeds the proxy gets each ended exchange with its bodies and times`(
        isSecure: Bool
    ) async throws {
        let world = try await World(isSecure: isSecure) { _ in }
        let request = world.session.request(
            world.url("/form"), method: .post, parameters: ["a": "1"])
        #expect(try await request.serializingString().value == "hello")
        await world.stop()

        let exchange = try #require(world.exchanges.all.first)
        #expect(world.exchanges.count == 1)
        #expect(exchange.state == .complete)
        #expect(exchange.request.method == .post)
        #expect(exchange.request.body == Body(Array("a=1".utf8)))
        #expect(exchange.response?.status == 200)
        #expect(exchange.response?.body == Body(Array("hello".utf8)))
        #expect(try #require(exchange.timeline.totalDuration) > 0)
        #expect(exchange.client?.peerAddress.hasPrefix("127.0.0.1:") == true)
        #expect((exchange.server?.security != nil) == isSecure)
    }

    @Test func `a traffic handler can read whole bodies and replace them`() async throws {
        let world = try await World { $0.handler = UpperCaser() }
        let request = world.session.request(
            world.url("/form"), method: .post, parameters: ["a": "b"])
        #expect(try await request.serializingString().value == "HELLO")
        #expect(world.server.received.map(\.bodyText) == ["A=B"])
        await world.stop()
        #expect(world.exchanges.all.first?.request.sentBody == Body(Array("A=B".utf8)))
        #expect(world.exchanges.all.first?.response?.sentBody == Body(Array("HELLO".utf8)))
    }

    @Test func `a body larger than a traffic handler's size limit is forwarded unchanged`()
        async throws
    {
        let world = try await World { $0.handler = UpperCaser(requestByteCountMax: 2) }
        let request = world.session.request(
            world.url("/form"), method: .post, parameters: ["a": "b"])
        #expect(try await request.serializingString().value == "HELLO")
        #expect(world.server.received.map(\.bodyText) == ["a=b"])
        await world.stop()
    }

    @Test(arguments: [false, true])
    func `a traffic handler can respond in place of the server`(isSecure: Bool) async throws {
        let fields = HeaderFields([("Content-Type", "text/plain")])
        let answer = ProxiedResponse(status: 418, fields: fields, body: Array("tea".utf8))
        let world = try await World(isSecure: isSecure) {
            $0.handler = Fixed(verdict: .answer(answer))
        }
        let response = await world.get("/page").response
        #expect(response.response?.status == 418)
        #expect(response.value == "tea")
        #expect(world.server.received.isEmpty)
        await world.stop()
        #expect(world.exchanges.all.first?.response?.status == 418)
    }

    @Test
    func `a traffic handler can close the client connection instead of forwarding the request`()
        async throws
    {
        let world = try await World { $0.handler = Fixed(verdict: .close) }
        #expect(await world.get("/page").response.error != nil)
        await world.stop()
        #expect(world.server.received.isEmpty)
        #expect(world.exchanges.all.first?.state == .failed)
    }

    @Test func `a traffic handler can redirect a request to another server`() async throws {
        let world = try await World { $0.handler = Redirecting() }
        let url = "http://no.such.host.invalid:\(world.server.port)/page"
        let text = try await world.session.request(url).serializingString().value
        #expect(text == "hello")
        #expect(
            world.server.received.map { $0.header("Host") } == ["127.0.0.1:\(world.server.port)"])
        await world.stop()
    }

    @Test(arguments: ["a\r\nX-Injected: 1", " padded", "nul\0"])
    func `if a traffic handler adds an invalid header, nothing is sent and the exchange fails`(
        value: String
    )
        async throws
    {
        let world = try await World { $0.handler = HeaderAdder(value: value) }
        #expect(await world.get("/page").response.error != nil)
        await world.stop()
        #expect(world.server.received.isEmpty)
        #expect(
            world.exchanges.all.first?.failure?.message
                == "the handler made a message that is not valid")
    }

    @Test
    func `a request to a host that the traffic handler does not handle is forwarded unchanged`()
        async throws
    {
        let world = try await World { $0.handler = HeaderAdder(host: "example.com") }
        _ = await world.get("/page").response
        #expect(world.server.received.map { $0.header("X-Request") } == [nil])
        await world.stop()
    }

    @Test
    func `a TLS connection to a host that is not intercepted is recorded as an opaque tunnel`()
        async throws
    {
        let world = try await World(isSecure: true) {
            $0.intercepts = { _, _ in false }
            $0.handler = HeaderAdder()
        }
        #expect(try await world.get("/page").value == "hello")
        world.session.shutdown()
        await world.stop()
        #expect(world.exchanges.all.map(\.state) == [.tunnel])
        #expect(world.server.received.map { $0.header("X-Request") } == [nil])
    }

    @Test func `an embedded proxy rejects clients that the embedding program does not allow`()
        async throws
    {
        let world = try await World { $0.allowsClient = { $0 != "127.0.0.1" } }
        #expect(await world.get("/page").response.response?.status != 200)
        #expect(world.server.received.isEmpty)
        await world.stop()
    }

    @Test func `a traffic handler that is still running when the proxy stops is cancelled`()
        async throws
    {
        let handler = Waiting()
        let world = try await World { $0.handler = handler }
        async let response = world.get("/page").response
        await handler.began.wait()
        await world.proxy.stop(within: .zero)
        await handler.ended.wait()
        #expect(await response.response?.status != 200)
        await world.stop()
        #expect(world.exchanges.all.map(\.failure?.kind) == [.shutdown])
    }

    @Test
    func `a recorder stores each exchange under the ID by which the embedding program knows it`()
        async throws
    {
        let folder = try ScratchFolder()
        let path = folder.path
        let recorder = try Recorder(directory: DataDirectory(path: path))
        let world = try await World { configuration in
            configuration.recorder = recorder
        }
        _ = try await world.get("/page").value
        await world.stop()
        recorder.stop()

        let handedOver = try #require(world.exchanges.all.first)
        let reader = try StoreReader(directory: DataDirectory(path: path))
        let row = try #require(try reader.row(handedOver.id))
        let stored = try #require(try reader.captured(row)?.exchange)
        #expect(stored.request == handedOver.request)
        #expect(stored.response == handedOver.response)
        #expect(stored.timeline.totalDuration == handedOver.timeline.totalDuration)
    }
}

/// How proxies start and stop.
@Suite struct ProxyStartTests {
    @Test func `the CA is created when the first proxy starts and reused by later ones`()
        async throws
    {
        let folder = try ScratchFolder()
        let first = try Proxy(ProxyConfiguration(authorityDirectory: folder.path))
        let certificate = try Data(contentsOf: URL(fileURLWithPath: first.authorityPath))
        await first.stop()
        let second = try Proxy(ProxyConfiguration(authorityDirectory: folder.path))
        #expect(try Data(contentsOf: URL(fileURLWithPath: second.authorityPath)) == certificate)
        await second.stop()
        await second.stop()
    }

    @Test func `a proxy on a port in use fails to start with error kind address`() async throws {
        let folder = try ScratchFolder()
        var configuration = ProxyConfiguration(authorityDirectory: folder.path)
        let proxy = try Proxy(configuration)
        configuration.port = proxy.port
        #expect { try Proxy(configuration) } throws: { ($0 as? ProxyStartError)?.kind == .address }
        configuration.address = "localhost"
        #expect { try Proxy(configuration) } throws: { ($0 as? ProxyStartError)?.kind == .address }
        await proxy.stop()
    }

    @Test
    func `a proxy whose CA folder others can write to fails to start with error kind authority`()
        throws
    {
        let folder = try ScratchFolder()
        try FileManager.default.createDirectory(
            atPath: folder.path + "/ca", withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o777])
        try folder.setMode(0o777, of: "ca")
        let configuration = ProxyConfiguration(authorityDirectory: folder.path)
        #expect { try Proxy(configuration) } throws: {
            ($0 as? ProxyStartError)?.kind == .authority
        }
    }

    @Test
    func `a proxy with a missing trusted CA file fails to start with error kind certificates`()
        throws
    {
        let folder = try ScratchFolder()
        var configuration = ProxyConfiguration(authorityDirectory: folder.path)
        configuration.trustedCertificateFiles = [folder.path + "/missing.pem"]
        #expect { try Proxy(configuration) } throws: {
            ($0 as? ProxyStartError)?.kind == .certificates
        }
    }

    @Test func `a proxy keeps serving even if the embedding program keeps no reference to it`()
        async throws
    {
        let folder = try ScratchFolder()
        let server = try ScriptedServer { _ in ScriptedServer.response(200, "hello") }
        let port = try Proxy(ProxyConfiguration(authorityDirectory: folder.path)).port
        var configuration = SessionConfiguration()
        configuration.proxy = ProxySettings(ProxyServer(host: "127.0.0.1", port: port))
        let session = Session(configuration: configuration)
        #expect(try await session.request(server.url).serializingString().value == "hello")
        session.shutdown()
    }

    @Test func `a stopped proxy releases its traffic handler from memory`() async throws {
        func handlerOfStoppedProxy() async throws -> Weak {
            let handler = CountingHandler()
            let world = try await World { $0.handler = handler }
            #expect(try await world.get("/page").value == "hello")
            await world.stop()
            #expect(handler.calls.count == 1)
            return Weak(handler: handler)
        }
        let handler = try await handlerOfStoppedProxy()
        try Eventually.isTrue(orFail: "the handler is still there") { handler.handler == nil }
    }
}

/// A handler that knows whether it is still in use.
private final class CountingHandler: TrafficHandler {
    let calls = CallCounter()

    func request(_ request: inout ProxiedRequest) async -> TrafficVerdict {
        calls.add()
        return .pass
    }
}

private struct Weak {
    weak var handler: CountingHandler?
}

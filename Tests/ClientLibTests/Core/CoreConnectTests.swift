import ClientLib
import Glibc
import ProxydClientTestSupport
import Testing

/// Connections that are not made, and how many are.
struct CoreConnectTests {
    private func impatient() -> Session {
        var configuration = SessionConfiguration()
        configuration.timeouts.connect = .milliseconds(30)
        return Session(configuration: configuration)
    }

    @Test func `a server that accepts no connection causes a connect timeout`() async throws {
        let listener = try #require(FullListener())
        let session = impatient()
        let error = await session.request("http://127.0.0.1:\(listener.port)/")
            .serializingData().response.error
        #expect(error?.kind == .timedOut(.connect))
        #expect(error?.phase == .connect)
        withExtendedLifetime(listener) {}
    }

    @Test func `an unanswered TLS handshake causes a connect timeout`() async throws {
        let proxy = try TestProxy(.says([]))
        let session = impatient()
        let error = await session.request("https://127.0.0.1:\(proxy.port)/")
            .serializingData().response.error
        #expect(error?.kind == .timedOut(.connect))
    }

    @Test func `the limit of connections per host applies across all event loops`() async throws {
        let (silent, other) = (
            try ScriptedServer { _ in [] },
            try ScriptedServer { _ in ScriptedServer.response(200, "ok") }
        )
        var configuration = SessionConfiguration()
        configuration.eventLoopCount = 3
        configuration.maximumConnectionsPerHost = 2
        let session = Session(configuration: configuration)
        let requests = (0..<7).map { session.request(silent.url + "/\($0)") }
        let tasks = requests.map { $0.serializingData() }
        var arrivals = silent.arriving.makeAsyncIterator()
        for round in 1...3 {
            var running: [String] = []
            for _ in 0..<2 {
                running.append(try #require(await arrivals.next()).head.targetText)
            }
            // Were there room for more, they would come while all threads serve someone else.
            for _ in 0..<30 {
                _ = try await session.request(other.url).serializingData().value
            }
            #expect(silent.received.count == 2 * round)
            // Turns pass from thread to thread.
            for target in running {
                let index = try #require(Int(target.dropFirst()))
                requests[index].cancel()
                #expect(await tasks[index].response.error?.kind == .explicitlyCancelled)
            }
        }
        _ = await arrivals.next()
        #expect(silent.received.count == 7)
        session.cancelAllRequests()
    }
}

/// Where a session connects to, whatever names say.
struct AddressRulesTests {
    private func session(_ rules: AddressRules) -> Session {
        var configuration = SessionConfiguration()
        configuration.addressRules = rules
        return Session(configuration: configuration)
    }

    @Test func `a host name with a configured address is not looked up in DNS but is sent as Host`()
        async throws
    {
        let server = try ScriptedServer { _ in ScriptedServer.response(200, "ok") }
        var rules = AddressRules()
        rules.resolve("No.Such.Name.", port: server.port, to: "127.0.0.1")
        let url = "http://no.such.name:\(server.port)/"
        let session = session(rules)
        let text = try await session.request(url).serializingString().value
        #expect(text == "ok")
        #expect(server.received.first?.head.fields["Host"] == "no.such.name:\(server.port)")
    }

    @Test func `no connection is made to an address that the session's rules do not allow`()
        async throws
    {
        let server = try ScriptedServer { _ in ScriptedServer.response(200, "ok") }
        let session = session(AddressRules { $0 != "127.0.0.1" })
        let error = await session.request("http://127.0.0.1:\(server.port)/")
            .serializingString().response.error
        #expect(error?.kind == .network(.refused))
        #expect(
            error?.message.contains(
                "the address of 127.0.0.1:\(server.port) is not allowed: 127.0.0.1") == true)
        #expect(server.received.isEmpty)
    }
}

/// A port of this machine that takes no connection any more: its queue is full, and no one empties
/// it.
final class FullListener {
    let port: UInt16
    private var descriptors: [Int32] = []

    init?() {
        let listening = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        descriptors = [listening]
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(listening, pointer, length) == 0 && listen(listening, 0) == 0
                    && getsockname(listening, pointer, &length) == 0
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        guard isListening else { return nil }
        // More than the queue takes, whatever a kernel makes of 0.
        for _ in 0..<4 {
            let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue)
            let descriptor = socket(AF_INET, kind, 0)
            descriptors.append(descriptor)
            _ = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, length)
                }
            }
        }
    }

    deinit { for descriptor in descriptors where descriptor >= 0 { close(descriptor) } }
}

import Testing

@testable import ProxydTransport

/// What is remembered of servers, for how long, and of how many.
struct ProtocolMemoryTests {
    private let minute: Int64 = 60_000_000_000

    private func target(_ host: String, _ port: UInt16 = 443) -> ConnectTarget {
        ConnectTarget(host: host, port: port, tls: nil)
    }

    @Test(
        arguments: [
            ("h2", SpokenProtocol.http2), ("http/1.1", .http1), ("http/1.0", .http1),
            ("h3", .http1),
            ("", .http1), (nil, .unsaid),
        ] as [(String?, SpokenProtocol)])
    func `the protocol of a server is derived from its ALPN choice`(
        _ alpn: String?, _ spoken: SpokenProtocol
    ) {
        #expect(SpokenProtocol(alpn: alpn) == spoken)
    }

    @Test
    func `a server's protocol is remembered for ten minutes, whatever the case of its host name`() {
        var memory = ProtocolMemory()
        memory.note(.http2, by: target("A.test"), now: 5)
        for name in ["a.test", "A.TEST."] {
            #expect(memory.spoken(by: target(name), now: 5 + 10 * minute - 1) == .http2)
            #expect(memory.spoken(by: target(name), now: 5 + 10 * minute) == nil)
        }
        #expect(memory.spoken(by: target("a.test", 80), now: 5) == nil)
        memory.note(.http1, by: target("a.test"), now: 9 * minute)
        #expect(memory.spoken(by: target("a.test"), now: 18 * minute) == .http1)
    }

    @Test
    func `extended CONNECT support is known from a server's SETTINGS; HTTP/1 servers use Upgrade`()
    {
        var memory = ProtocolMemory()
        let server = target("a.test")
        #expect(memory.extendedConnect(by: server, now: 0) == nil)
        memory.note(takesExtendedConnect: true, by: server)
        #expect(memory.extendedConnect(by: server, now: 0) == nil)
        memory.note(.http2, by: server, now: 0)
        #expect(memory.extendedConnect(by: server, now: 0) == nil)
        memory.note(takesExtendedConnect: true, by: server)
        #expect(memory.extendedConnect(by: server, now: 0) == .offered)
        memory.note(takesExtendedConnect: false, by: server)
        #expect(memory.extendedConnect(by: server, now: 0) == .notOffered)
        // Another connection says the same protocol, and nothing new about it.
        memory.note(.http2, by: server, now: 1)
        #expect(memory.extendedConnect(by: server, now: 1) == .notOffered)
        memory.note(.http1, by: server, now: 2)
        #expect(memory.extendedConnect(by: server, now: 2) == .byUpgrade)
        #expect(memory.extendedConnect(by: server, now: 2 + 10 * minute) == nil)
    }

    @Test func `the remembered stream limit of a server is that of its last SETTINGS`() {
        var memory = ProtocolMemory()
        let server = target("a.test")
        memory.note(streamCountMax: 5, of: server)
        #expect(memory.streamCountMax(of: server, now: 0) == nil)
        memory.note(.http2, by: server, now: 0)
        memory.note(streamCountMax: 100, of: server)
        memory.note(.http2, by: server, now: 1)
        #expect(memory.streamCountMax(of: server, now: 1) == 100)
        memory.note(streamCountMax: nil, of: server)
        #expect(memory.streamCountMax(of: server, now: 1) == nil)
    }

    @Test
    func `when the table of servers' protocols is full, a new server replaces the oldest entry`() {
        var memory = ProtocolMemory()
        for number in 0..<4_096 {
            memory.note(.http2, by: target("h\(number).test"), now: Int64(number))
        }
        // One that is known already needs no room.
        memory.note(.http1, by: target("h0.test"), now: 5_000)
        #expect(memory.spoken(by: target("h1.test"), now: 5_000) == .http2)
        memory.note(.http1, by: target("new.test"), now: 5_001)
        #expect(memory.spoken(by: target("h1.test"), now: 5_001) == nil)
        #expect(memory.spoken(by: target("h0.test"), now: 5_001) == .http1)
        #expect(memory.spoken(by: target("h2.test"), now: 5_001) == .http2)
        #expect(memory.spoken(by: target("new.test"), now: 5_001) == .http1)
    }

    @Test func `when the table of servers' protocols is full, expired entries are removed`() {
        var memory = ProtocolMemory()
        for number in 0..<4_096 { memory.note(.http2, by: target("h\(number).test"), now: 0) }
        memory.note(.http1, by: target("new.test"), now: 10 * minute)
        memory.note(.http1, by: target("other.test"), now: 10 * minute)
        for name in ["new.test", "other.test"] {
            #expect(memory.spoken(by: target(name), now: 10 * minute) == .http1)
        }
        let left = (0..<4_096).filter { memory.spoken(by: target("h\($0).test"), now: 0) != nil }
        #expect(left == [])
    }
}

import ProxydHTTPModel
import Testing

@testable import ProxydTransport

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

import ProxydHTTPModel
import Testing

@testable import ProxydTransport

/// The proof that a server understood a request for a WebSocket (RFC 6455 §4.1).
struct WebSocketKeyTests {
    private func head(_ fields: [(String, String)]) -> ResponseHead {
        ResponseHead(
            status: 101, reason: "Switching Protocols",
            fields: HeaderFields(fields.map { (name: $0.0, value: $0.1) }))
    }

    /// The example of RFC 6455 §1.3.
    private let key = "dGhlIHNhbXBsZSBub25jZQ=="
    private let proof = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

    @Test func `the proof of the RFC's example is right`() {
        let fields = head([("sec-websocket-accept", proof)]).fields
        #expect(WebSocketProof.isGiven(in: fields, for: key))
        #expect(!WebSocketProof.isGiven(in: fields, for: key + "="))
    }

    @Test func `none, another, one twice or one in other letters is no proof`() {
        for accepts in [[], ["x"], [proof, proof], [proof.lowercased()], [proof + "="]] {
            let fields = head(accepts.map { ("Sec-WebSocket-Accept", $0) }).fields
            #expect(!WebSocketProof.isGiven(in: fields, for: key), "\(accepts)")
        }
    }

    @Test func `keys are 16 random bytes`() {
        let keys = (0..<50).map { _ in WebSocketKey().text }
        #expect(Set(keys).count == keys.count)
        #expect(keys.allSatisfy { $0.utf8.count == 24 && $0.hasSuffix("==") })
    }

    @Test(arguments: [[], ["h2c"], ["websocket, h2c"], ["websocket", "h2c"], ["websockets"]])
    func `a switch to another protocol is objected to`(upgrade: [String]) {
        let fields = upgrade.map { ("Upgrade", $0) } + [("Connection", "Upgrade")]
        let objection = WebSocketKey().objection(to: head(fields))
        #expect(objection?.kind == .malformedResponse)
        #expect(objection?.message == "the server switched to a protocol other than websocket")
    }

    @Test func `a switch without the proof is objected to`() {
        let fields = [
            ("Upgrade", "WebSocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Accept", proof),
        ]
        let objection = WebSocketKey().objection(to: head(fields))
        #expect(objection?.message.contains("does not fit the key") == true)
    }

    // MARK: What a client's connections are for

    @Test func `bound connections are the client's own, one server at a time`() {
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

    @Test func `a client with too many bound servers is ended`() {
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

    @Test func `who waits for extended CONNECT is called once, unless it went`() {
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

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

    @Test func `the Sec-WebSocket-Accept example of RFC 6455 is accepted`() {
        let fields = head([("sec-websocket-accept", proof)]).fields
        #expect(WebSocketProof.isGiven(in: fields, for: key))
        #expect(!WebSocketProof.isGiven(in: fields, for: key + "="))
    }

    @Test func `a missing, wrong, repeated or differently cased Sec-WebSocket-Accept is rejected`()
    {
        for accepts in [[], ["x"], [proof, proof], [proof.lowercased()], [proof + "="]] {
            let fields = head(accepts.map { ("Sec-WebSocket-Accept", $0) }).fields
            #expect(!WebSocketProof.isGiven(in: fields, for: key), "\(accepts)")
        }
    }

    @Test func `WebSocket keys are 16 random bytes in Base64`() {
        let keys = (0..<50).map { _ in WebSocketKey().text }
        #expect(Set(keys).count == keys.count)
        #expect(keys.allSatisfy { $0.utf8.count == 24 && $0.hasSuffix("==") })
    }

    @Test(arguments: [[], ["h2c"], ["websocket, h2c"], ["websocket", "h2c"], ["websockets"]])
    func `a 101 to a protocol other than websocket is rejected`(upgrade: [String]) {
        let fields = upgrade.map { ("Upgrade", $0) } + [("Connection", "Upgrade")]
        let objection = WebSocketKey().objection(to: head(fields))
        #expect(objection?.kind == .malformedResponse)
        #expect(objection?.message == "the server switched to a protocol other than websocket")
    }

    @Test func `a 101 whose Sec-WebSocket-Accept does not match the key is rejected`() {
        let fields = [
            ("Upgrade", "WebSocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Accept", proof),
        ]
        let objection = WebSocketKey().objection(to: head(fields))
        #expect(objection?.message.contains("does not match the key") == true)
    }
}

import ProxydHTTPModel
import ProxydHTTPWire
import Testing

/// What opening handshakes agree upon (RFC 6455 §9.1, RFC 7692 §5 and §7.1).
struct WebSocketAgreementTests {
    private func fields(_ values: [String]) -> HeaderFields {
        HeaderFields(values.map { (name: "sec-websocket-extensions", value: $0) })
    }

    private func agreement(
        _ offers: [String], _ answers: [String]
    ) throws(WebSocketAgreement.Fault) -> WebSocketAgreement {
        try WebSocketAgreement(request: fields(offers), response: fields(answers))
    }

    @Test func `WebSocket messages are compressed only if the server accepts permessage-deflate`()
        throws
    {
        let name = "permessage-deflate"
        #expect(try agreement([name], [name]).deflate == PermessageDeflate())
        #expect(try agreement([name], []) == WebSocketAgreement())
        #expect(WebSocketAgreement().deflate == nil)
        #expect(try agreement([], ["  ,, "]) == WebSocketAgreement())
    }

    @Test func `the agreed permessage-deflate parameters are those of the server's response`()
        throws
    {
        let offer = "permessage-deflate; client_max_window_bits"
        #expect(try agreement([offer], ["permessage-deflate"]).deflate == PermessageDeflate())
        let answer =
            "permessage-deflate; server_no_context_takeover; client_no_context_takeover; "
            + "server_max_window_bits=8; client_max_window_bits=\"12\""
        let deflate = try agreement([offer], [answer]).deflate
        #expect(deflate?.client == .init(keepsContext: false, windowBits: 12))
        #expect(deflate?.server == .init(keepsContext: false, windowBits: 8))
        #expect(deflate?.direction(of: .client) == deflate?.client)
        #expect(deflate?.direction(of: .server) == deflate?.server)
        #expect(
            deflate?.responseValue
                == "permessage-deflate; server_no_context_takeover; client_no_context_takeover; "
                + "server_max_window_bits=8; client_max_window_bits=12")
    }

    @Test func `WebSocket extension offers are read from several field lines and list elements`()
        throws
    {
        let offers = [
            "x-other; a=\"b\"",
            "permessage-deflate; server_max_window_bits=10 , permessage-deflate",
        ]
        let answer = "permessage-deflate;server_max_window_bits=10"
        #expect(try agreement(offers, [answer]).deflate?.server.windowBits == 10)
        #expect(try agreement(offers, ["permessage-deflate"]).deflate?.server.windowBits == 15)
    }

    @Test func `an unknown WebSocket extension that was offered and accepted is reported`() throws {
        let both = try agreement(["x-other, permessage-deflate"], ["permessage-deflate, x-other"])
        #expect(both.hasOtherExtensions)
        #expect(both.deflate == PermessageDeflate())
    }

    @Test(arguments: ["x-other", "permessage-deflate", "permessage-bzip2; a=1"])
    func `a WebSocket extension in the response that was not offered is rejected`(answer: String) {
        #expect(throws: WebSocketAgreement.Fault.notOffered) { try agreement(["x-y"], [answer]) }
    }

    @Test(arguments: [
        "permessage-deflate; client_max_window_bits",
        "permessage-deflate; client_max_window_bits=16",
        "permessage-deflate; client_max_window_bits=7",
        "permessage-deflate; client_max_window_bits=08",
        "permessage-deflate; client_max_window_bits=1a",
        "permessage-deflate; server_max_window_bits",
        "permessage-deflate; server_no_context_takeover=1",
        "permessage-deflate; client_no_context_takeover; client_no_context_takeover",
        "permessage-deflate; unknown",
        "permessage-deflate, permessage-deflate",
    ])
    func `permessage-deflate parameters that are invalid in a response are rejected`(answer: String)
    {
        #expect(throws: WebSocketAgreement.Fault.unacceptable) {
            try agreement(["permessage-deflate; client_max_window_bits"], [answer])
        }
    }

    @Test(arguments: [
        ("permessage-deflate", "permessage-deflate; client_max_window_bits=10"),
        ("permessage-deflate; server_max_window_bits=10", "permessage-deflate"),
        ("permessage-deflate; server_no_context_takeover", "permessage-deflate"),
        ("permessage-deflate; bad", "permessage-deflate"),
    ])
    func `a permessage-deflate response that matches no offer is rejected`(
        offer: String, answer: String
    ) {
        #expect(throws: WebSocketAgreement.Fault.unacceptable) { try agreement([offer], [answer]) }
    }

    @Test(arguments: [
        "permessage-deflate;", "permessage-deflate; =1", "permessage deflate", "a; b=\"c d\"",
        "a; b=\"c", "a; b=\"\"", "a; b=", "\"a\"", "a; b=\"\\",
    ])
    func `a malformed Sec-WebSocket-Extensions value is rejected`(answer: String) {
        #expect(throws: WebSocketAgreement.Fault.malformed) {
            try agreement(["permessage-deflate"], [answer])
        }
    }

    @Test func `the default permessage-deflate offer is written, parsed and accepted`() throws {
        let offer = PermessageDeflateOffer()
        #expect(offer.value == "permessage-deflate; client_max_window_bits")
        let written = WebSocketExtension.list(in: fields([offer.value]))
        #expect(written?.first.flatMap(PermessageDeflateOffer.init) == offer)
        #expect(offer.accepted == PermessageDeflate())
    }

    @Test func `accepting a permessage-deflate offer gives a response that the offer allows`()
        throws
    {
        let value =
            "permessage-deflate; server_no_context_takeover; client_no_context_takeover; "
            + "server_max_window_bits=9; client_max_window_bits=11"
        let element = try #require(WebSocketExtension.list(in: fields([value]))?.first)
        let offer = try #require(PermessageDeflateOffer(element))
        #expect(offer.value == value)
        #expect(offer.allows(offer.accepted))
        #expect(try agreement([value], [offer.accepted.responseValue]).deflate == offer.accepted)
    }

    /// The example of RFC 6455 §1.3; the digest is Base64 of SHA-1, which is not made here.
    @Test func `Sec-WebSocket-Accept is computed from the key followed by the fixed GUID`() {
        let input = WebSocketHandshake.acceptInput(key: "dGhlIHNhbXBsZSBub25jZQ==")
        #expect(
            String(decoding: input, as: UTF8.self)
                == "dGhlIHNhbXBsZSBub25jZQ==258EAFA5-E914-47DA-95CA-C5AB0DC85B11")
    }
}

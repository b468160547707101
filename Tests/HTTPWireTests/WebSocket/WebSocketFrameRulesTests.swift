import ProxydHTTPWire
import Testing

/// The rules of RFC 6455 §5 and RFC 7692 §6, each broken once.
struct WebSocketFrameRulesTests {
    private static let deflate = WebSocketAgreement(deflate: PermessageDeflate())

    private static func header(
        _ opcode: UInt8, fin: Bool = true, bits: UInt8 = 0, masked: Bool = false,
        _ count: UInt64 = 1
    ) -> WebSocketFrameHeader {
        WebSocketFrameHeader(
            isFinal: fin, reservedBits: bits, opcode: WebSocketOpcode(rawValue: opcode),
            maskingKey: masked ? 0x0102_0304 : nil, payloadByteCount: count)
    }

    private func faults(
        _ headers: [WebSocketFrameHeader], from sender: WebSocketSender = .server,
        _ agreement: WebSocketAgreement = WebSocketAgreement()
    ) -> [WebSocketFault?] {
        var rules = WebSocketFrameRules(sender: sender, agreement: agreement)
        return headers.map { rules.check($0) }
    }

    private func closing(_ payload: [UInt8]) throws(WebSocketFault) -> WebSocketClosing {
        try WebSocketClosing(payload.span)
    }

    @Test func `valid sequences of WebSocket frames have no faults`() {
        let fragmented = [
            Self.header(1, fin: false), Self.header(9), Self.header(0, fin: false),
            Self.header(10, 125), Self.header(0), Self.header(2, UInt64(Int64.max)),
            Self.header(8, 0), Self.header(8, 2), Self.header(10),
        ]
        #expect(faults(fragmented).allSatisfy { $0 == nil })
        #expect(faults([Self.header(1, masked: true)], from: .client) == [nil])
        let compressed = [Self.header(1, fin: false, bits: 4), Self.header(0), Self.header(2)]
        #expect(faults(compressed, Self.deflate).allSatisfy { $0 == nil })
    }

    @Test
    func `an unmasked WebSocket frame from a client or a masked one from a server is a fault`() {
        #expect(faults([Self.header(1)], from: .client) == [.unmasked])
        #expect(faults([Self.header(1, masked: true)]) == [.masked])
    }

    @Test(arguments: [3, 4, 5, 6, 7, 11, 12, 13, 14, 15] as [UInt8])
    func `a WebSocket frame with an undefined opcode is a fault`(opcode: UInt8) {
        #expect(faults([Self.header(opcode)]) == [.reservedOpcode(opcode)])
    }

    @Test
    func `a reserved WebSocket bit without an extension is a fault, as is RSV1 in a continuation`()
    {
        #expect(
            faults((1...7).map { Self.header(1, bits: $0) }) == (1...7).map { _ in .reservedBits })
        #expect(faults([Self.header(1, bits: 6)], Self.deflate) == [.reservedBits])
        #expect(faults([Self.header(9, bits: 4)], Self.deflate) == [.compressedTwice])
        let twice = [Self.header(1, fin: false, bits: 4), Self.header(0, bits: 4)]
        #expect(faults(twice, Self.deflate) == [nil, .compressedTwice])
        let other = WebSocketAgreement(hasOtherExtensions: true)
        #expect(faults([Self.header(1, bits: 3), Self.header(9, bits: 7)], other) == [nil, nil])
    }

    @Test func `a WebSocket control frame that is too long or fragmented is a fault`() {
        #expect(faults([Self.header(9, 126)]) == [.longControl])
        #expect(faults([Self.header(8, fin: false)]) == [.fragmentedControl])
    }

    @Test func `a WebSocket message inside another, or a continuation without a start, is a fault`()
    {
        #expect(faults([Self.header(0)]) == [.continuationWithoutStart])
        let inside = [Self.header(1, fin: false), Self.header(2), Self.header(0)]
        #expect(faults(inside) == [nil, .messageInsideMessage, .continuationWithoutStart])
    }

    @Test func `a WebSocket data frame after a close frame is a fault`() {
        let after = [Self.header(8), Self.header(1), Self.header(0), Self.header(9)]
        #expect(faults(after) == [nil, .afterClose, .afterClose, nil])
    }

    @Test func `a WebSocket length that is too large or not minimal is a fault`() {
        #expect(faults([Self.header(2, 1 << 63)]) == [.lengthTooLarge])
        let long: [UInt8] = [0x82, 0x7E, 0x00, 0x7D]
        var reader = WebSocketFrameReader()
        var offset = 0
        guard case .header(let header) = reader.next(long.span, from: &offset) else {
            Issue.record("no header")
            return
        }
        #expect(faults([header]) == [.lengthNotMinimal])
    }

    @Test(arguments: [1000, 1003, 1007, 1011, 1012, 1014, 3000, 4999] as [UInt16])
    func `WebSocket close codes that may be sent are accepted`(code: UInt16) throws {
        let written = WebSocketClosing(code: code, reason: "näh")
        #expect(try closing(written.payload) == written)
    }

    @Test(arguments: [0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, 65_535] as [UInt16])
    func `WebSocket close codes that must not be sent are rejected`(code: UInt16) {
        let payload = WebSocketClosing(code: code).payload
        #expect(throws: WebSocketFault.closeCode(code)) { try closing(payload) }
    }

    @Test func `a WebSocket close frame must be empty or have a code and a reason in UTF-8`() throws
    {
        let nothing: [UInt8] = []
        #expect(try closing(nothing) == WebSocketClosing(code: nil))
        let one: [UInt8] = [3]
        #expect(throws: WebSocketFault.closeOfOneByte) { try closing(one) }
        let wrong: [UInt8] = [0x03, 0xE8, 0xFF]
        #expect(throws: WebSocketFault.invalidUTF8) { try closing(wrong) }
        let cut: [UInt8] = [0x03, 0xE8, 0xC3]
        #expect(throws: WebSocketFault.invalidUTF8) { try closing(cut) }
    }

    @Test func `a WebSocket close reason is truncated at a character boundary to fit its frame`()
        throws
    {
        let payload =
            WebSocketClosing(code: 1000, reason: String(repeating: "é", count: 100)).payload
        #expect(payload.count == 124)
        #expect(
            try closing(payload).reason == String(repeating: "é", count: 61))
    }

    @Test(
        arguments: [
            (WebSocketFault.invalidUTF8, 1007), (.undecompressable, 1007), (.unmasked, 1002),
            (.closeCode(1005), 1002),
        ] as [(WebSocketFault, UInt16)])
    func `each WebSocket fault has a close code and a description that names an RFC`(
        fault: WebSocketFault, code: UInt16
    ) {
        #expect(fault.closeCode == code)
        #expect(fault.description.contains("RFC"))
    }
}

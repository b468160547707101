import ProxydHTTPWire
import Testing

@Suite struct WebSocketFrameTests {
    @Test func aFrameIsReadAsItWasWritten() {
        var bytes: [UInt8] = []
        WebSocketFrameWriter.write(
            .text, Array("Hello".utf8).span, maskingKey: 0x37FA_213D, into: &bytes)
        #expect(
            bytes == [
                0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58,
            ])
        var reader = WebSocketFrameReader()
        var offset = 0
        guard case .header(let header) = reader.next(bytes.span, from: &offset) else {
            Issue.record("no header")
            return
        }
        #expect(header.maskingKey == 0x37FA_213D)
        guard case .payload(let range, true) = reader.next(bytes.span, from: &offset) else {
            Issue.record("no payload")
            return
        }
        var payload: [UInt8] = []
        reader.append(range, of: bytes.span, to: &payload)
        #expect(payload == Array("Hello".utf8))
        #expect(reader.next(bytes.span, from: &offset) == .needsMoreInput)
        #expect(!reader.isInsideFrame)
    }
}

import ProxydHTTPModel
import ProxydHTTPWire
import ProxydMessages
import Testing

@Suite struct WebSocketObserverTests {
    @Test func `a text is told unmasked`() {
        let observer = WebSocketObserver(agreement: WebSocketAgreement())
        var bytes: [UInt8] = []
        WebSocketFrameWriter.write(
            .text, Array("Hello".utf8).span, maskingKey: 0x37FA_213D, into: &bytes)
        var told: [MessageRecord] = []
        observer.receive(bytes.span, .toServer) { told.append($0) }
        #expect(told.count == 1)
        #expect(told.first?.content == .octets(Array("Hello".utf8)))
    }
}

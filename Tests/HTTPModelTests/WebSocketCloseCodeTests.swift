import ProxydHTTPModel
import Testing

@Suite struct `Codes of closed WebSockets` {
    @Test(arguments: [
        (1_000, "1000 normal closure"), (1_001, "1001 going away"),
        (1_006, "1006 abnormal closure"),
        (1_011, "1011 internal error"), (3_000, "3000 unauthorized"),
        (3_500, "3500 registered by a library"), (4_999, "4999 private use"), (999, "999"),
        (1_016, "1016"), (0, "0"), (65_535, "65535"),
    ])
    func `a WebSocket close code is described by its number and its meaning`(
        number: Int, words: String
    ) {
        #expect(WebSocketCloseCode(UInt16(number)).description == words)
    }

    @Test
    func `a WebSocket close code is read from the first two bytes of a Close frame, if present`() {
        #expect(WebSocketCloseCode(payload: [0x03, 0xE9, 0x62])?.number == 1_001)
        #expect(WebSocketCloseCode(payload: [0xFF, 0xFF])?.number == 65_535)
        #expect(WebSocketCloseCode(payload: [0x03]) == nil)
        #expect(WebSocketCloseCode(payload: []) == nil)
    }

    @Test func `WebSocket close codes 1000 and 1001 count as orderly, but 1011 and 4000 do not`() {
        #expect(WebSocketCloseCode(1_000).isOrderly)
        #expect(WebSocketCloseCode(1_001).isOrderly)
        #expect(!WebSocketCloseCode(1_011).isOrderly)
        #expect(!WebSocketCloseCode(4_000).isOrderly)
    }
}

import ProxydHTTPModel
import Testing

/// Statuses of gRPC by number and by name, and what `grpc-message` says.
struct GRPCStatusTests {
    @Test(
        arguments: [
            (0, "OK"), (1, "CANCELLED"), (4, "DEADLINE_EXCEEDED"), (5, "NOT_FOUND"),
            (12, "UNIMPLEMENTED"), (14, "UNAVAILABLE"), (16, "UNAUTHENTICATED"),
        ] as [(Int64, String)])
    func `a gRPC status is found by its number or by its name, whatever the letter case`(
        number: Int64, name: String
    ) {
        #expect(GRPCStatus(number).name == name)
        #expect(GRPCStatus(number).description == "\(number) \(name)")
        #expect(GRPCStatus(name: name.lowercased()) == GRPCStatus(number))
    }

    @Test func `the 17 gRPC status codes from 0 to 16 are defined`() {
        #expect(GRPCStatus.defined.map(\.number) == Array(0...16))
        #expect(Set(GRPCStatus.defined.map(\.name)).count == 17)
    }

    @Test(arguments: [-1, 17, 99, .min, .max] as [Int64])
    func `an undefined gRPC status code is shown as its number`(number: Int64) {
        #expect(!GRPCStatus(number).isDefined)
        #expect(GRPCStatus(number).name == String(number))
        #expect(GRPCStatus(number).description == String(number))
    }

    @Test func `an unknown gRPC status name is rejected, but canceled is accepted for CANCELLED`() {
        #expect(GRPCStatus(name: "FINE") == nil)
        #expect(GRPCStatus(name: "") == nil)
        #expect(GRPCStatus(name: "canceled")?.number == 1)
    }

    @Test(arguments: [
        ("no%20such user", "no such user"), ("100%25", "100%"), ("%e2%82%AC", "€"),
        ("50% off", "50% off"), ("%", "%"), ("%4", "%4"), ("%zz%41", "%zzA"),
        ("%ff", "\u{FFFD}"), ("", ""), ("naïve", "naïve"), ("%0a", "\n"),
    ])
    func `grpc-message is percent-decoded, and invalid escapes are kept`(
        value: String, message: String
    ) {
        #expect(GRPCStatus.message(of: value) == message)
    }
}

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

import ProxydHTTPWire
import Testing

/// The header that names a client to whoever is connected to next.
struct PROXYHeaderTests {
    private static func endpoint(_ address: [UInt8], _ port: UInt16) -> PROXYAddresses.Endpoint {
        PROXYAddresses.Endpoint(address: address, port: port)
    }

    private static let four = PROXYAddresses(
        source: endpoint([192, 0, 2, 1], 51_234), destination: endpoint([10, 0, 0, 1], 443))
    private static let six = PROXYAddresses(
        source: endpoint([0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [1], 1),
        destination: endpoint([UInt8](repeating: 0, count: 15) + [1], 65_535))
    private static let signature: [UInt8] = [13, 10, 13, 10, 0, 13, 10, 81, 85, 73, 84, 10]

    @Test func `version 1 is a line of text`() {
        let text = { String(decoding: PROXYHeaderWriter.header(.v1, $0), as: UTF8.self) }
        #expect(text(Self.four) == "PROXY TCP4 192.0.2.1 10.0.0.1 51234 443\r\n")
        #expect(text(Self.six) == "PROXY TCP6 2001:db8:0:0:0:0:0:1 0:0:0:0:0:0:0:1 1 65535\r\n")
    }

    @Test func `version 2 has the addresses in network byte order`() {
        let four = PROXYHeaderWriter.header(.v2, Self.four)
        #expect(
            four == Self.signature + [0x21, 0x11, 0, 12, 192, 0, 2, 1, 10, 0, 0, 1]
                + [0xC8, 0x22, 1, 0xBB])
        let six = PROXYHeaderWriter.header(.v2, Self.six)
        #expect(six.count == 16 + 36)
        #expect(Array(six[12..<16]) == [0x21, 0x21, 0, 36])
        #expect(Array(six.suffix(4)) == [0, 1, 0xFF, 0xFF])
    }

    @Test func `addresses of two families are left out`() {
        let mixed = PROXYAddresses(
            source: Self.four.source, destination: Self.six.destination)
        #expect(PROXYHeaderWriter.header(.v1, mixed) == Array("PROXY UNKNOWN\r\n".utf8))
        #expect(PROXYHeaderWriter.header(.v2, mixed) == Self.signature + [0x20, 0, 0, 0])
    }
}

import ProxydHTTPWire
import Testing

@Suite struct FieldValidatorTests {
    // Expectations cannot take spans apart; arrays they can.
    private func isToken(_ octets: [UInt8]) -> Bool { FieldValidator.isToken(octets.span) }
    private func isFieldValue(_ octets: [UInt8]) -> Bool {
        FieldValidator.isFieldValue(octets.span)
    }
    private func isReason(_ octets: [UInt8]) -> Bool { FieldValidator.isReason(octets.span) }
    private func isRequestTarget(_ octets: [UInt8]) -> Bool {
        FieldValidator.isRequestTarget(octets.span)
    }

    @Test func `tokens`() {
        for octet in UInt8.min...UInt8.max {
            let isExpected =
                "!#$%&'*+-.^_`|~".utf8.contains(octet)
                || (0x30...0x39).contains(octet) || (0x41...0x5A).contains(octet)
                || (0x61...0x7A).contains(octet)
            #expect(isToken([octet]) == isExpected, "\(octet)")
        }
        #expect(!isToken([]))
        #expect(isToken(Array("X-Long-Name-Of-Some-Kind".utf8)))
        #expect(!isToken(Array("X-Long Name".utf8)))
    }

    @Test func `field values`() {
        for octet in UInt8.min...UInt8.max {
            let isExpected = octet == 0x09 || (octet >= 0x20 && octet != 0x7F)
            let value = Array("abcdefgh".utf8) + [octet] + Array("ijklmnopqrst".utf8)
            #expect(isFieldValue(value) == isExpected, "\(octet)")
            #expect(isReason(value) == isExpected, "\(octet)")
        }
        #expect(isFieldValue([]))
        #expect(!isFieldValue(Array(" a".utf8)))
        #expect(!isFieldValue(Array("a\t".utf8)))
        #expect(!isFieldValue(Array("a\r\nX: y".utf8)))
    }

    @Test func `request targets`() {
        for octet in UInt8.min...UInt8.max {
            for length in [0, 3, 8, 20] {
                let target = [UInt8](repeating: UInt8(ascii: "/"), count: length) + [octet]
                let isExpected = (0x21...0x7E).contains(octet)
                #expect(isRequestTarget(target) == isExpected, "\(octet)")
            }
        }
        #expect(!isRequestTarget([]))
    }
}

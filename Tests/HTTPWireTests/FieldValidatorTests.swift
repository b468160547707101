import ProxydHTTPWire
import Testing

@Suite struct FieldValidatorTests {
    // Expectations cannot take spans apart; arrays they can.
    private func isToken(_ bytes: [UInt8]) -> Bool { FieldValidator.isToken(bytes.span) }
    private func isFieldValue(_ bytes: [UInt8]) -> Bool {
        FieldValidator.isFieldValue(bytes.span)
    }
    private func isReason(_ bytes: [UInt8]) -> Bool { FieldValidator.isReason(bytes.span) }
    private func isRequestTarget(_ bytes: [UInt8]) -> Bool {
        FieldValidator.isRequestTarget(bytes.span)
    }

    @Test
    func `a token is valid only if it is not empty and has only characters that RFC 9110 allows`() {
        for byte in UInt8.min...UInt8.max {
            let isExpected =
                "!#$%&'*+-.^_`|~".utf8.contains(byte)
                || (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
                || (0x61...0x7A).contains(byte)
            #expect(isToken([byte]) == isExpected, "\(byte)")
        }
        #expect(!isToken([]))
        #expect(isToken(Array("X-Long-Name-Of-Some-Kind".utf8)))
        #expect(!isToken(Array("X-Long Name".utf8)))
    }

    @Test
    func `a field value is invalid with control bytes other than tab or with outer white space`() {
        for byte in UInt8.min...UInt8.max {
            let isExpected = byte == 0x09 || (byte >= 0x20 && byte != 0x7F)
            let value = Array("abcdefgh".utf8) + [byte] + Array("ijklmnopqrst".utf8)
            #expect(isFieldValue(value) == isExpected, "\(byte)")
            #expect(isReason(value) == isExpected, "\(byte)")
        }
        #expect(isFieldValue([]))
        #expect(!isFieldValue(Array(" a".utf8)))
        #expect(!isFieldValue(Array("a\t".utf8)))
        #expect(!isFieldValue(Array("a\r\nX: y".utf8)))
    }

    @Test
    func `a request target is valid only if it is nonempty and has only visible ASCII characters`()
    {
        for byte in UInt8.min...UInt8.max {
            for length in [0, 3, 8, 20] {
                let target = [UInt8](repeating: UInt8(ascii: "/"), count: length) + [byte]
                let isExpected = (0x21...0x7E).contains(byte)
                #expect(isRequestTarget(target) == isExpected, "\(byte)")
            }
        }
        #expect(!isRequestTarget([]))
    }
}

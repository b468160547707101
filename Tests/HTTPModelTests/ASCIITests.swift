import ProxydHTTPModel
import Testing

/// Text of HTTP's grammar, byte by byte.
struct ASCIITests {
    private func equals(_ text: [UInt8], _ literal: StaticString) -> Bool {
        ASCII.equalsIgnoringCase(text.span, literal)
    }

    /// Eight bytes are compared at a time: each byte must do at each of their places.
    @Test func `ASCII comparison ignores letter case at every position but no other difference`() {
        let literal: StaticString = "abcdefghijklmnopqr"
        let letters = Array(literal.description.utf8)
        for index in letters.indices {
            for byte in UInt8.min...UInt8.max {
                var text = letters
                text[index] = byte
                let isSame = byte == letters[index] || byte == letters[index] - 0x20
                #expect(equals(text, literal) == isSame, "\(byte) at \(index)")
            }
        }
        #expect(!equals(Array(letters.dropLast()), literal))
        #expect(!equals(letters + [0x61], literal))
        #expect(equals([], ""))
    }

    @Test func `ASCII comparison ignores case only for letters, not for other bytes`() {
        let literal: StaticString = "@[`{\u{7F}-_09"
        let bytes = Array(literal.description.utf8)
        #expect(equals(bytes, literal))
        for index in bytes.indices {
            var text = bytes
            text[index] ^= 0x20
            #expect(!equals(text, literal), "\(index)")
        }
    }

    @Test func `two byte strings are compared without regard to the case of ASCII letters`() {
        func same(_ left: String, _ right: String) -> Bool {
            ASCII.equalsIgnoringCase(left.utf8.span, right.utf8.span)
        }
        #expect(same("X-Request-ID", "x-request-id") && same("", ""))
        #expect(!same("é", "É") && !same("a", "aa") && !same("@", "`"))
        #expect(ASCII.lowercased(0x41) == 0x61)
        #expect(ASCII.lowercased(0x5A) == 0x7A && ASCII.lowercased(0x5B) == 0x5B)
        #expect(ASCII.lowercased(0x40) == 0x40 && ASCII.lowercased(0xC1) == 0xC1)
    }

    @Test(arguments: [
        ("  a b\t", 2..<5), ("", 0..<0), (" \t ", 3..<3), ("a", 0..<1), ("\r a", 0..<3),
        ("\u{A0}a", 0..<3),
    ])
    func `trimming optional white space removes only spaces and tabs`(
        text: String, range: Range<Int>
    ) {
        let bytes = Array(text.utf8)
        let found = ASCII.trimmingOWS(bytes.span, 0..<bytes.count)
        #expect(found == range)
    }

    @Test func `trimming a range of bytes stays within that range`() {
        let bytes = Array("a: b ;".utf8)
        let found = ASCII.trimmingOWS(bytes.span, 2..<5)
        #expect(found == 3..<4)
    }

    @Test func `bytes are decoded as UTF-8 if they are valid, otherwise as Latin-1`() {
        #expect(ASCII.text(Array("é😀".utf8)) == "é😀")
        #expect(ASCII.text([0xE9, 0x41]) == "éA")
        #expect(ASCII.text([0xC3]) == "Ã")
        let all = Array(UInt8.min...UInt8.max)
        #expect(ASCII.text(all).unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } == all)
        func isASCII(_ bytes: [UInt8]) -> Bool { ASCII.isASCII(bytes.span) }
        #expect(isASCII(Array(0...0x7F)) && !isASCII([0x41, 0x80]))
    }
}

import ProxydHTTPWire
import Testing

/// Whether bytes are UTF-8, in whatever pieces they come; Swift's own strings are the oracle.
struct UTF8ValidatorTests {
    private static let samples: [[UInt8]] =
        [
            "", "ascii", "grüße", "日本語のテキスト", "🙂🙃", "\u{7FF}\u{800}\u{FFFF}\u{10000}\u{10FFFF}",
            "\u{D7FF}\u{E000}", String(repeating: "a", count: 70) + "é",
        ].map { Array($0.utf8) } + [
            [0x80], [0xC0, 0xAF], [0xC1, 0xBF], [0xC2], [0xC2, 0x20], [0xE0, 0x9F, 0xBF],
            [0xE0, 0xA0], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xEF, 0xBF, 0xBF],
            [0xF0, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFE],
            [0xFF], [0xF0, 0x9F, 0x99], [0x61, 0xCE, 0xBA, 0xE1, 0xBD, 0xB9, 0xED, 0xA0, 0x80],
            [UInt8](repeating: 0x61, count: 64) + [0xFF], [0xE1, 0x80, 0xC0],
        ]

    @Test(arguments: samples)
    func `the UTF-8 validator agrees with Swift's strings, wherever the bytes are split`(
        bytes: [UInt8]
    ) {
        let isUTF8 = String(validating: bytes, as: UTF8.self) != nil
        for cut in 0...bytes.count {
            var validator = UTF8Validator()
            validator.receive(bytes.span.extracting(0..<cut))
            validator.receive(bytes.span.extracting(cut..<bytes.count))
            #expect(validator.isComplete == isUTF8, "cut at \(cut)")
        }
    }

    @Test
    func `the UTF-8 validator agrees with Swift strings on all sequences of 4 boundary bytes`() {
        // The bytes at which a rule of RFC 3629 §4 begins or ends.
        let bytes: [UInt8] = [
            0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1,
            0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF,
        ]
        for first in bytes {
            for second in bytes {
                for third in bytes {
                    for fourth in bytes {
                        let sequence = [first, second, third, fourth]
                        var validator = UTF8Validator()
                        validator.receive(sequence.span)
                        let isUTF8 = String(validating: sequence, as: UTF8.self) != nil
                        guard validator.isComplete != isUTF8 else { continue }
                        Issue.record("\(sequence)")
                    }
                }
            }
        }
    }

    @Test func `the UTF-8 validator distinguishes an incomplete sequence from an invalid one`() {
        var validator = UTF8Validator()
        let receive = { (bytes: [UInt8], validator: inout UTF8Validator) in
            validator.receive(bytes.span)
        }
        let begins = receive([0x61, 0xE2, 0x82], &validator)
        #expect(begins)
        #expect(!validator.isComplete)
        let ends = receive([0xAC], &validator)
        #expect(ends)
        #expect(validator.isComplete)
        let isBroken = !receive([0x80], &validator)
        #expect(isBroken)
        let staysBroken = !receive([0x61], &validator)
        #expect(staysBroken)
    }
}

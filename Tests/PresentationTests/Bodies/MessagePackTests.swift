import ProxydContentCoding
import ProxydPresentation
import Testing

/// Every type of MessagePack (its specification, "Formats"), and documents that are damaged.
struct MessagePackTests {
    private func lines(_ bytes: [UInt8]) -> [String] {
        Viewed.lines("msgpack", "application/msgpack", bytes).map {
            String($0.dropFirst(2))
        }
    }

    @Test(
        arguments: [
            ([0x00], "0"), ([0x7F], "127"), ([0xE0], "-32"), ([0xFF], "-1"),
            ([0xC0], "null"), ([0xC2], "false"), ([0xC3], "true"),
            ([0xCC, 0xFF], "255"), ([0xCD, 0x01, 0x00], "256"),
            ([0xCE, 0xFF, 0xFF, 0xFF, 0xFF], "4294967295"),
            ([0xCF] + [UInt8](repeating: 0xFF, count: 8), "18446744073709551615"),
            ([0xD0, 0x80], "-128"), ([0xD1, 0x80, 0x00], "-32768"),
            ([0xD2, 0x80, 0, 0, 0], "-2147483648"),
            ([0xD3, 0x80, 0, 0, 0, 0, 0, 0, 0], "-9223372036854775808"),
            ([0xCA, 0x3F, 0x80, 0, 0], "1.0"), ([0xCB, 0x3F, 0xF8, 0, 0, 0, 0, 0, 0], "1.5"),
            ([0xA0], ""), ([0xD9, 0x02, 0x61, 0x62], "ab"), ([0xDA, 0x00, 0x01, 0x61], "a"),
            ([0xDB, 0, 0, 0, 1, 0x61], "a"), ([0x80], "{ 0 }"), ([0x90], "[ 0 ]"),
            ([0xDC, 0, 0], "[ 0 ]"), ([0xDF, 0, 0, 0, 0], "{ 0 }"),
        ] as [([UInt8], String)])
    func `MessagePack scalars and empty containers are shown as their values`(
        bytes: [UInt8], text: String
    ) {
        #expect(lines(bytes) == [text])
    }

    @Test func `MessagePack binary and extension values are shown in hexadecimal`() {
        #expect(lines([0xC4, 2, 1, 0xAB]) == ["2 B  01 ab"])
        #expect(lines([0xC5, 0, 1, 7]) == ["1 B  07"])
        #expect(lines([0xD5, 0xFF, 1, 2]) == ["extension -1  01 02"])
        #expect(lines([0xC7, 1, 9, 3]) == ["extension 9  03"])
    }

    @Test
    func `the MessagePack viewer ends arrays and maps after their last element, however nested`() {
        // [[], [1], {"a": []}, 2], 3
        let bytes: [UInt8] = [0x94, 0x90, 0x91, 1, 0x81, 0xA1, 0x61, 0x90, 2, 3]
        #expect(
            lines(bytes)
                == [
                    "[ 4 ]", "0: [ 0 ]", "1: [ 1 ]", "  0: 1", "2: { 1 }", "  a", "    [ 0 ]",
                    "3: 2",
                    "3",
                ].enumerated().map { index, text in
                    index == 0 || index == 8 ? text : "  " + text
                })
    }

    @Test func `a truncated MessagePack body is shown like the beginning of the complete body`() {
        let whole: [UInt8] =
            [0x82, 0xA1, 0x61, 0x93, 1, 2, 3, 0xA1, 0x62, 0xCB, 0x40, 4, 0, 0, 0, 0, 0, 0]
        let all = lines(whole)
        for count in whole.indices {
            let shown = lines(Array(whole[..<count]))
            #expect(shown.count <= all.count, "\(count)")
            // Only the last line may be of a value that is not whole.
            for (line, wanted) in zip(shown.dropLast(), all) { #expect(line == wanted, "\(count)") }
        }
    }

    @Test func `MessagePack values with impossible lengths are shown on fewer than ten lines`() {
        for start: [UInt8] in [
            [0xDB, 0xFF, 0xFF, 0xFF, 0xFF], [0xC6, 0xFF, 0xFF, 0xFF, 0xFF],
            [0xDD, 0xFF, 0xFF, 0xFF, 0xFF], [0xDF, 0xFF, 0xFF, 0xFF, 0xFF], [0xC1], [0xC9, 0xFF],
        ] {
            let shown = lines(start + [1, 2])
            #expect(!shown.isEmpty && shown.count < 10, "\(start)")
        }
    }

    @Test func `the MessagePack viewer maps the offset of each line in random bytes to that line`()
    {
        var numbers = TestNumbers(seed: 12)
        for _ in 0..<400 {
            let bytes = (0..<Int.random(in: 1...60, using: &numbers)).map { _ in
                UInt8.random(in: 0...255, using: &numbers)
            }
            var viewer = Viewed.viewer(
                "msgpack", BodyFacts(contentType: nil, bytes: bytes), LoadedBody(bytes))
            Viewed.finish(&viewer)
            for line in 0..<viewer.lineCount {
                let found = viewer.offset(ofLine: line).flatMap { viewer.line(atOffset: $0) }
                #expect(found == line, "\(bytes) \(line)")
            }
        }
    }
}

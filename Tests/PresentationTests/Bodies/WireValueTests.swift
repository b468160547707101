import ProxydPresentation
import Testing

/// Values of MessagePack and of protocol buffers, each in all its forms.
struct WireValueTests {
    private func pack(_ bytes: [UInt8]) -> [String] {
        Viewed.lines("msgpack", "application/msgpack", bytes).map { String($0.dropFirst(2)) }
    }

    private func buffer(_ bytes: [UInt8], _ type: String = "application/x-protobuf") -> [String] {
        Viewed.lines("protobuf", type, bytes).map { String($0.dropFirst(2)) }
    }

    @Test(
        arguments: [
            ([0x7F], "127"), ([0xE0], "-32"), ([0xFF], "-1"), ([0xCC, 0xFF], "255"),
            ([0xCD, 1, 0], "256"), ([0xCE, 0xFF, 0xFF, 0xFF, 0xFF], "4294967295"),
            ([0xCF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], "18446744073709551615"),
            ([0xD0, 0x80], "-128"), ([0xD1, 0x80, 0], "-32768"),
            ([0xD2, 0x80, 0, 0, 0], "-2147483648"),
            ([0xD3, 0x80, 0, 0, 0, 0, 0, 0, 0], "-9223372036854775808"),
            ([0xCA, 0x3F, 0xC0, 0, 0], "1.5"), ([0xC0], "null"), ([0xC2], "false"),
            ([0xC3], "true"),
            ([0xD9, 2, 0x68, 0x69], "hi"), ([0xDA, 0, 2, 0x68, 0x69], "hi"),
            ([0xDB, 0, 0, 0, 2, 0x68, 0x69], "hi"), ([0xC5, 0, 1, 0xFF], "1 B  ff"),
            ([0xC6, 0, 0, 0, 1, 0xFF], "1 B  ff"), ([0xC7, 1, 0xFF, 0xAA], "extension -1  aa"),
            ([0xC8, 0, 1, 5, 0xAA], "extension 5  aa"),
            ([0xC9, 0, 0, 0, 1, 5, 0xAA], "extension 5  aa"),
            ([0xD5, 5, 1, 2], "extension 5  01 02"), ([0xDC, 0, 0], "[ 0 ]"),
            ([0xDD, 0, 0, 0, 0], "[ 0 ]"), ([0xDE, 0, 0], "{ 0 }"), ([0xDF, 0, 0, 0, 0], "{ 0 }"),
            ([0xC1], "no value starts with 0xc1"),
            ([0xA0], ""),
        ] as [([UInt8], String)])
    func `every MessagePack format is shown as its value, and an invalid first byte is reported`(
        bytes: [UInt8], text: String
    ) {
        #expect(pack(bytes) == [text])
    }

    @Test(
        arguments: [
            ([0xD9], "cut: d9"), ([0xDA, 0], "cut: da 00"), ([0xA3, 0x61], "a cut"),
            ([0xCD, 1], "1 cut"), ([0xC4, 9, 1], "9 B  01 cut"), ([0xC7, 4], "cut: c7 04"),
            ([0xDB, 0xFF, 0xFF, 0xFF, 0xFF], " cut"),
        ] as [([UInt8], String)])
    func `a MessagePack value that is cut off is marked as cut`(bytes: [UInt8], text: String) {
        #expect(pack(bytes) == [text])
    }

    @Test func `the MessagePack viewer ends nested arrays and maps after their last value`() {
        // [[], {1: [2]}, 3]
        #expect(
            pack([0x93, 0x90, 0x81, 1, 0x91, 2, 3]) == [
                "[ 3 ]", "  0: [ 0 ]", "  1: { 1 }", "    1", "      [ 1 ]", "      0: 2",
                "  2: 3",
            ])
    }

    @Test func `MessagePack with billions of declared elements or 100,000 levels does not crash`() {
        #expect(pack([0xDD, 0xFF, 0xFF, 0xFF, 0xFF, 1]) == ["[ 4294967295 ]", "  0: 1"])
        #expect(pack([0xDF, 0xFF, 0xFF, 0xFF, 0xFF, 1]) == ["{ 4294967295 }", "  1"])
        let deep = pack([UInt8](repeating: 0x91, count: 100_000))
        #expect(deep.count == 100_000)
    }

    @Test func `a long MessagePack string is split into lines without losing characters`() {
        let text = (0..<5_000).map { UInt8(0x61 + $0 % 26) }
        let lines = pack([0xDA, 0x13, 0x88] + text + [7])
        #expect(lines.count == 4)
        #expect(
            lines.dropLast().map { $0.trimmingPrefix { $0 == " " } }.joined()
                == String(decoding: text, as: UTF8.self))
        #expect(lines.last == "7")
    }

    @Test(
        arguments: [
            ([0x08, 0], "1: 0"), ([0x08, 1], "1: 1"), ([0x08, 0x7F], "1: 127  sint -64"),
            ([0xF8, 0xFF, 0xFF, 0xFF, 0x0F, 2], "536870911: 2"),
            (
                [0x08, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1],
                "1: 18446744073709551615  int -1  sint -9223372036854775808"
            ),
            ([0x09, 0, 0, 0, 0, 0, 0, 0xF0, 0x3F], "1: 4607182418800017408  double 1.0"),
            ([0x0A, 0], "1: "), ([0x0D, 1, 2], "1: 513  float 7.19e-43 cut"),
        ] as [([UInt8], String)])
    func `a protobuf field is shown with its number, its value and other readings of the value`(
        bytes: [UInt8], text: String
    ) {
        #expect(buffer(bytes) == [text])
    }

    @Test(
        arguments: [
            [0x00], [0x07], [0x03], [0x04], [0x08], [0x08, 0x80],
            [0x08, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
            [0x80, 0x80, 0x80, 0x80, 0x10, 0], [0x12, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F],
        ] as [[UInt8]])
    func `bytes that are not a valid protobuf field are shown and marked as not being a field`(
        bytes: [UInt8]
    ) {
        let shown = buffer(bytes)
        #expect(shown.first?.hasPrefix("no field: ") == true)
        // After a whole field they are told in the same way.
        #expect(buffer([0x08, 1] + bytes).last?.hasPrefix("no field: ") == true)
    }

    @Test func `an error in a nested protobuf message does not affect the fields after it`() {
        // 1: a message whose second field is broken, 2: 5
        let shown = buffer([0x0A, 0x05, 0x08, 0x01, 0xFF, 0xFF, 0xFF, 0x10, 0x05])
        #expect(shown.last?.hasPrefix("2: 5") == true)
    }

    @Test func `a nested protobuf message that declares too many bytes ends with its parent`() {
        // 1: { 1: { claims 9 bytes } }, 2: 5
        let shown = buffer([0x0A, 0x04, 0x0A, 0x09, 0x08, 0x01, 0x10, 0x05])
        #expect(shown.last?.hasPrefix("2: 5") == true)
    }

    @Test
    func `the gRPC viewer lists each message, marks compressed ones and reports a truncated one`() {
        let frames: [UInt8] =
            [0, 0, 0, 0, 0] + [1, 0, 0, 0, 2, 0xAA, 0xBB] + [0, 0, 0, 0, 2, 8, 1] + [0, 0]
        let shown = Viewed.lines("messages", "application/grpc", frames).map {
            String($0.dropFirst(2))
        }
        #expect(shown[0] == "message  0 B")
        #expect(shown[1] == "message  2 B, compressed")
        #expect(shown[2].hasSuffix("aa bb"))
        #expect(shown[3] == "message  2 B")
        #expect(shown[4].hasPrefix("  1: 1"))
        #expect(shown.last == "no message: 00 00")
    }
}

/// Headers of images in their rarer forms.
struct ImageHeaderTests {
    private func viewed(_ bytes: [UInt8]) -> String {
        var viewer = Viewed.viewer(
            "image", BodyFacts(contentType: "image/png", bytes: bytes), LoadedBody(bytes))
        viewer.advance(byteBudget: 1 << 20)
        return viewer.lines(0..<viewer.lineCount).map(\.text).joined(separator: "|")
    }

    private func jpeg(_ marker: UInt8, before: [UInt8] = [], components: UInt8 = 3) -> [UInt8] {
        [0xFF, 0xD8] + before + [0xFF, marker, 0, 17, 8, 0x01, 0, 0x02, 0, components, 0, 0]
    }

    // ITU-T T.81 table B.1
    @Test(arguments: [
        (0xC0, "baseline"), (0xC1, "baseline"), (0xC2, "progressive"), (0xC6, "progressive"),
        (0xC9, "baseline"), (0xCA, "progressive"), (0xCE, "progressive"),
    ])
    func `a JPEG image is shown as baseline or progressive according to its frame header`(
        marker: UInt8, kind: String
    ) {
        #expect(viewed(jpeg(marker)) == "JPEG  512 × 256 pixels  \(kind), 3 components")
    }

    @Test
    func `the frame header of a JPEG image is found after other segments, or reported as missing`()
    {
        let table: [UInt8] = [0xFF, 0xC4, 0, 4, 0xFF, 0xC0]
        let comment: [UInt8] = [0xFF, 0xFE, 0, 3, 0x41]
        let fill: [UInt8] = [0xFF, 0xFF, 0xFF]
        #expect(
            viewed(jpeg(0xC0, before: table + comment + fill, components: 1))
                == "JPEG  512 × 256 pixels  baseline, grey")
        for end in [[0xFF, 0xD9], [0xFF, 0xDA, 0, 2], [0xFF, 0xFE, 0xFF, 0xFF]] as [[UInt8]] {
            #expect(viewed(jpeg(0xC0, before: end)).hasSuffix("no frame found"))
        }
    }

    @Test
    func `the size of lossy and lossless WebP images is shown, and an unknown kind is reported`() {
        let start = Array("RIFF".utf8) + [0, 0, 0, 0] + Array("WEBP".utf8)
        // RFC 9649 §3.4: 14 bits of the width less one, then 14 of the height.
        let bits: UInt32 = 639 | 479 << 14
        let lossless =
            start + Array("VP8L".utf8) + [0, 0, 0, 0, 0x2F]
            + (0..<4).map { UInt8(truncatingIfNeeded: bits >> (8 * UInt32($0))) }
        #expect(viewed(lossless) == "WebP  640 × 480 pixels  lossless")
        // RFC 6386 §9.1: two bits of scaling above 14 of the size.
        let lossy =
            start + Array("VP8 ".utf8) + [0, 0, 0, 0] + [0, 0, 0, 0x9D, 0x01, 0x2A]
            + [0x80, 0x42, 0xE0, 0x81]
        #expect(viewed(lossy) == "WebP  640 × 480 pixels  lossy")
        #expect(viewed(start + Array("VP9X".utf8)).hasSuffix("unknown kind"))
    }

    @Test func `a PNG header with an impossible size, depth or colour type is rejected`() {
        func png(_ width: [UInt8], _ depth: UInt8, _ color: UInt8) -> String {
            viewed(
                [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
                    + width + [0, 0, 0, 1, depth, color, 0, 0, 0])
        }
        #expect(png([0, 0, 0, 1], 1, 0) == "PNG  1 × 1 pixels  grey, 1 bit")
        #expect(png([0, 0, 0, 1], 8, 3) == "PNG  1 × 1 pixels  palette, 8 bit")
        for (width, depth, color) in [
            ([0, 0, 0, 0], 8, 0), ([0xFF, 0, 0, 0], 8, 0), ([0, 0, 0, 1], 3, 0),
            ([0, 0, 0, 1], 4, 2), ([0, 0, 0, 1], 16, 3), ([0, 0, 0, 1], 8, 5),
        ] as [([UInt8], UInt8, UInt8)] {
            #expect(png(width, depth, color) == "no header of a known image format")
        }
    }
}

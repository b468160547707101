import ProxydContentCoding
import ProxydPresentation
import Testing

/// Small pictures made here, and what the viewer makes of them.
struct BodyViewersImageTests {
    /// A zlib stream of stored blocks (RFC 1950, RFC 1951 §3.2.4): no compressor needed.
    private static func stored(_ octets: [UInt8]) -> [UInt8] {
        var stream: [UInt8] = [0x78, 0x01, 1]
        let count = UInt16(octets.count)
        stream += [UInt8(count & 255), UInt8(count >> 8), UInt8(~count & 255), UInt8(~count >> 8)]
        stream += octets
        var (a, b): (UInt32, UInt32) = (1, 0)
        for octet in octets {
            a = (a + UInt32(octet)) % 65_521
            b = (b + a) % 65_521
        }
        return stream + [UInt8(b >> 8), UInt8(b & 255), UInt8(a >> 8), UInt8(a & 255)]
    }

    private static func chunk(_ type: String, _ octets: [UInt8]) -> [UInt8] {
        let count = octets.count
        return [0, 0, UInt8(count >> 8), UInt8(count & 255)] + Array(type.utf8) + octets
            + [0, 0, 0, 0]
    }

    static func png(
        width: UInt8, height: UInt8, depth: UInt8 = 8, color: UInt8, interlace: UInt8 = 0,
        palette: [UInt8] = [], rows: [UInt8]
    ) -> [UInt8] {
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
            + chunk("IHDR", [0, 0, 0, width, 0, 0, 0, height, depth, color, 0, 0, interlace])
            + (palette.isEmpty ? [] : chunk("PLTE", palette)) + chunk("IDAT", stored(rows))
            + chunk("IEND", [])
    }

    /// The cells of a picture: upper and lower colour.
    private func cells(_ contentType: String, _ octets: [UInt8]) -> [[String]] {
        var viewer = Viewed.viewer(
            "image", BodyFacts(contentType: contentType, octets: octets), LoadedBody(octets))
        viewer.fit(columnCount: 20, rowCount: 10)
        Viewed.finish(&viewer)
        return viewer.lines(2..<max(2, viewer.lineCount)).map { line in
            line.runs.flatMap { run in
                let name = "\(name(run.style.foreground))/\(name(run.style.background))"
                return [String](repeating: name, count: run.text.count)
            }
        }
    }

    private func name(_ paint: Style.Paint) -> String {
        switch paint {
        case .role: "-"
        case .rgb(let red, let green, let blue):
            [red, green, blue].map { BodyViewersImageTests.digits($0) }.joined()
        }
    }

    private static func digits(_ value: UInt8) -> String {
        let digits = String(value, radix: 16)
        return digits.count < 2 ? "0" + digits : digits
    }

    @Test func `PNG of true colours, its filters undone`() {
        // Red, green; sub: blue, blue+(0,0,0); up; average and Paeth of grey.
        let rows: [UInt8] = [
            0, 255, 0, 0, 0, 255, 0,
            1, 0, 0, 255, 0, 0, 0,
            2, 0, 0, 0, 255, 0, 0,
        ]
        #expect(
            cells("image/png", BodyViewersImageTests.png(width: 2, height: 3, color: 2, rows: rows))
                == [["ff0000/0000ff", "00ff00/0000ff"], ["0000ff/-", "ff00ff/-"]])
    }

    @Test func `PNG of a palette with four pixels in an octet`() {
        let octets = BodyViewersImageTests.png(
            width: 4, height: 1, depth: 2, color: 3, palette: [0, 0, 0, 255, 0, 0, 0, 255, 0],
            rows: [0, 0b0001_1011])
        // The last index is not in the palette.
        #expect(cells("image/png", octets) == [["000000/-", "ff0000/-", "00ff00/-", "-/-"]])
    }

    @Test func `interlaced PNG, transparent pixels on grey`() {
        // 2 by 2, grey with alpha: passes 1 (0,0), 6 (1,0), 7 (0,1)(1,1).
        let octets = BodyViewersImageTests.png(
            width: 2, height: 2, color: 4, interlace: 1,
            rows: [0, 255, 255, 0, 0, 255, 0, 10, 255, 99, 0])
        #expect(cells("image/png", octets) == [["ffffff/0a0a0a", "000000/808080"]])
    }

    @Test func `the first frame of a GIF`() {
        // 2 by 1, two colours; LZW codes of 3 bits: clear 4, 0, 1, end 5.
        let octets =
            Array("GIF89a".utf8) + [2, 0, 1, 0, 0x80, 0, 0, 255, 0, 0, 0, 0, 255]
            + [0x21, 0xF9, 4, 0, 0, 0, 0, 0, 0x2C, 0, 0, 0, 0, 2, 0, 1, 0, 0]
            + [2, 2, 0b0100_0100, 0b0000_1010, 0, 0x3B]
        #expect(cells("image/gif", octets) == [["ff0000/-", "0000ff/-"]])
    }

    @Test func `headers tell dimensions`() {
        func facts(_ octets: [UInt8]) -> String? {
            var viewer = Viewed.viewer(
                "image", BodyFacts(contentType: "image/png", octets: octets), LoadedBody(octets))
            viewer.advance(byteBudget: 1 << 20)
            return viewer.lines(0..<1).first?.text
        }
        let webp =
            Array("RIFF".utf8) + [0, 0, 0, 0] + Array("WEBPVP8X".utf8)
            + [10, 0, 0, 0, 0x10, 0, 0, 0, 0x7F, 2, 0, 0xDF, 1, 0]
        #expect(facts(webp) == "WebP  640 × 480 pixels  extended, transparent")
        let jpeg: [UInt8] = [
            0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 0, 0, 0xFF, 0xC2, 0, 17, 8, 0, 100, 0, 200, 3, 1, 0x22, 0,
        ]
        #expect(facts(jpeg) == "JPEG  200 × 100 pixels  progressive, 3 components")
        #expect(facts([1, 2, 3]) == "no header of a known image format")
        #expect(facts(Array("GIF89a".utf8)) == "GIF  0 × 0 pixels  no global colours")
    }

    /// A grey JPEG of 8 by 8 whose only coefficient is the mean.
    static let jpeg: [UInt8] =
        [0xFF, 0xD8, 0xFF, 0xDB, 0, 67, 0] + [UInt8](repeating: 8, count: 64)
        + [0xFF, 0xC0, 0, 11, 8, 0, 8, 0, 8, 1, 1, 0x11, 0]
        // DC: one code of one bit for size 6; AC: one code of one bit for the end of the block.
        + [0xFF, 0xC4, 0, 20, 0x00, 1] + [UInt8](repeating: 0, count: 15) + [6]
        + [0xFF, 0xC4, 0, 20, 0x10, 1] + [UInt8](repeating: 0, count: 15) + [0]
        + [0xFF, 0xDA, 0, 8, 1, 1, 0x00, 0, 63, 0]
        // 0 (size 6), 110010 (50), 0 (end): 50 * 8 / 8 + 128 = 178.
        + [0b0110_0100, 0xFF, 0xD9]

    @Test func `a baseline JPEG`() {
        let rows = cells("image/jpeg", BodyViewersImageTests.jpeg)
        #expect(
            rows == [[String]](repeating: [String](repeating: "b2b2b2/b2b2b2", count: 8), count: 4))
    }

    // MARK: Bombs

    /// A screen of one pixel, and a frame on it that is as large as can be said.
    static func gif(frame width: Int, _ height: Int) -> [UInt8] {
        func little(_ number: Int) -> [UInt8] { [UInt8(number & 255), UInt8(number >> 8)] }
        return Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0, 255, 0, 0, 0, 0, 255]
            + [0x2C, 0, 0, 0, 0] + little(width) + little(height) + [0]
            + [2, 2, 0b0100_0100, 0b0000_1010, 0, 0x3B]
    }

    /// The JPEG with another frame header of such a size behind its own.
    static func jpegThen(frame width: Int, _ height: Int) -> [UInt8] {
        let place = 2 + 69 + 13
        let frame: [UInt8] = [
            0xFF, 0xC0, 0, 11, 8, UInt8(height >> 8), UInt8(height & 255), UInt8(width >> 8),
            UInt8(width & 255), 1, 1, 0x11, 0,
        ]
        return Array(jpeg[..<place]) + frame + Array(jpeg[place...])
    }

    static func png(size: [UInt8], depth: UInt8, color: UInt8) -> [UInt8] {
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
            + chunk("IHDR", size + [depth, color, 0, 0, 0]) + chunk("IDAT", stored([0, 1, 2, 3]))
            + chunk("IEND", [])
    }

    /// What is below the header's line, when so many octets may be looked at in one go.
    private func drawn(_ octets: [UInt8], byteBudget: Int) -> [String] {
        var viewer = Viewed.viewer(
            "image", BodyFacts(contentType: "image/png", octets: octets), LoadedBody(octets))
        viewer.fit(columnCount: 20, rowCount: 10)
        viewer.advance(byteBudget: byteBudget)
        return viewer.lines(2..<max(2, viewer.lineCount)).map(\.text)
    }

    @Test(arguments: [
        gif(frame: 65_535, 65_535), jpegThen(frame: 65_535, 65_535),
        // Rows of 134 MB; a column of short rows; more pixels than 64 bits count.
        png(size: [1, 0, 0, 0, 0, 0, 0, 5], depth: 16, color: 6),
        png(size: [0, 0, 0, 1, 1, 0, 0, 0], depth: 1, color: 0),
        png(size: [1, 0, 0, 0, 1, 0, 0, 0], depth: 16, color: 6),
    ])
    func `what would be decoded is bounded, not what the beginning says`(octets: [UInt8]) {
        for budget in [1, 512 << 10, 8 << 20] where budget > octets.count {
            #expect(drawn(octets, byteBudget: budget) == ["too many pixels to draw"])
        }
    }

    @Test(arguments: [
        gif(frame: 2_000, 2_000), jpegThen(frame: 1, 65_535),
        png(size: [0, 1, 0, 0, 0, 0, 0, 100], depth: 8, color: 6),
    ])
    func `who has little time draws nothing that takes long`(octets: [UInt8]) {
        #expect(drawn(octets, byteBudget: 512 << 10).isEmpty)
        #expect(!drawn(octets, byteBudget: 8 << 20).isEmpty)
    }

    @Test func `octets are looked at before pixels`() {
        let chain =
            Array("GIF89a".utf8) + [1, 0, 1, 0, 0, 0, 0, 0x21, 0xFE]
            + (0..<400_000).flatMap { _ in [1, 0] as [UInt8] } + [0, 0x3B]
        #expect(drawn(chain, byteBudget: 512 << 10).isEmpty)
        #expect(drawn(chain, byteBudget: 8 << 20) == ["the picture cannot be decoded"])
    }

    // MARK: Damage

    @Test func `images damaged anywhere trap nowhere`() {
        var numbers = TestNumbers(seed: 7)
        let whole = [
            BodyViewersImageTests.png(
                width: 3, height: 3, color: 6, interlace: 1,
                rows: [UInt8](repeating: 3, count: 60)), BodyViewersImageTests.jpeg,
            Array("GIF89a".utf8) + [9, 0, 9, 0, 0x80, 0, 0, 255, 0, 0, 0, 0, 255, 0x2C, 0, 0, 0, 0]
                + [9, 0, 9, 0, 0x40, 2, 6, 0x44, 0x4A, 0x33, 0x91, 0x11, 0x5F, 0, 0x3B],
        ]
        for octets in whole {
            for end in 0...octets.count { _ = cells("image/png", Array(octets.prefix(end))) }
            for _ in 0..<300 {
                var changed = octets
                for _ in 0..<3 {
                    let index = Int.random(in: changed.indices, using: &numbers)
                    changed[index] = UInt8.random(in: 0...255, using: &numbers)
                }
                // Claimed sizes may be huge; the small picture stays small.
                _ = cells("image/png", changed)
            }
        }
    }
}

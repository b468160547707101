import ProxydContentCoding
import ProxydPresentation
import Testing

/// What the viewer of images says.
struct BodyViewersImageTests {
    private static let webp =
        Array("RIFF".utf8) + [0, 0, 0, 0] + Array("WEBPVP8X".utf8)
        + [10, 0, 0, 0, 0x10, 0, 0, 0, 0x7F, 2, 0, 0xDF, 1, 0]
    private static let jpeg: [UInt8] = [
        0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 0, 0, 0xFF, 0xC2, 0, 17, 8, 0, 100, 0, 200, 3, 1, 0x22, 0,
    ]
    private static let png: [UInt8] =
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
        + [0, 0, 2, 0, 0, 0, 1, 0, 8, 6, 0, 0, 1, 0, 0, 0, 0]
    private static let gif = Array("GIF89a".utf8) + [9, 0, 7, 0, 0x81, 0, 0]
    private static let bmp =
        Array("BM".utf8) + [UInt8](repeating: 0, count: 16) + [4, 0, 0, 0, 0xFD, 0xFF, 0xFF, 0xFF]
        + [1, 0, 24, 0]

    private func viewed(_ bytes: [UInt8]) -> [String] {
        var viewer = Viewed.viewer(
            "image", BodyFacts(contentType: "image/png", bytes: bytes), LoadedBody(bytes))
        viewer.advance(byteBudget: 1 << 20)
        return viewer.lines(0..<viewer.lineCount).map(\.text)
    }

    @Test func `the image viewer shows format, size and colour depth from the header`() {
        #expect(viewed(Self.webp) == ["WebP  640 × 480 pixels  extended, transparent"])
        #expect(viewed(Self.jpeg) == ["JPEG  200 × 100 pixels  progressive, 3 components"])
        #expect(
            viewed(Self.png)
                == ["PNG  512 × 256 pixels  colour with transparency, 8 bit, interlaced"])
        #expect(viewed(Self.gif) == ["GIF  9 × 7 pixels  4 colours"])
        #expect(viewed(Self.bmp) == ["BMP  4 × 3 pixels  24 bit"])
        #expect(viewed([1, 2, 3]) == ["no header of a known image format"])
        #expect(viewed(Array("GIF89a".utf8)) == ["GIF  0 × 0 pixels  no global colours"])
    }

    @Test func `damaged image headers do not crash the image viewer`() {
        var numbers = TestNumbers(seed: 7)
        for bytes in [Self.webp, Self.jpeg, Self.png, Self.gif, Self.bmp] {
            for end in 0...bytes.count { _ = viewed(Array(bytes.prefix(end))) }
            for _ in 0..<300 {
                var changed = bytes
                for _ in 0..<3 {
                    let index = Int.random(in: changed.indices, using: &numbers)
                    changed[index] = UInt8.random(in: 0...255, using: &numbers)
                }
                _ = viewed(changed)
            }
        }
    }
}

import Foundation
import ProxydContentCoding
import ProxydPresentation
import Testing

struct BodyViewersBinaryTests {
    @Test func `the hex viewer shows offset, bytes and characters`() {
        let lines = Viewed.lines("hex", nil, Array("0123456789ABCDEF\u{1B}é".utf8))
        #expect(
            lines == [
                "  00000000  30 31 32 33 34 35 36 37  38 39 41 42 43 44 45 46  0123456789ABCDEF",
                "  00000010  1b c3 a9                                          ...",
            ])
    }

    @Test func `the hex dump of a slice counts offsets from the slice's first byte`() {
        let rows = HexLines.lines((0..<40).map { UInt8($0) }[20...])
        #expect(
            rows.map(\.text) == [
                "00000000  14 15 16 17 18 19 1a 1b  1c 1d 1e 1f 20 21 22 23  ............ !\"#",
                "00000010  24 25 26 27                                       $%&'",
            ])
        #expect(HexLines.lines([]).isEmpty)
    }

    @Test func `the MessagePack viewer shows an indented tree`() {
        // {"a": [1, -1, nil, 2.5], "b": h'00ff', true: "é", 300: ext(5)}
        let bytes: [UInt8] =
            [0x84, 0xA1, 0x61, 0x94, 0x01, 0xFF, 0xC0, 0xCB, 0x40, 0x04, 0, 0, 0, 0, 0, 0]
            + [0xA1, 0x62, 0xC4, 0x02, 0x00, 0xFF, 0xC3, 0xA2, 0xC3, 0xA9]
            + [0xCD, 0x01, 0x2C, 0xD4, 0x05, 0x07]
        #expect(
            Viewed.lines("msgpack", "application/msgpack", bytes) == [
                "  { 4 }", "    a", "      [ 4 ]", "      0: 1", "      1: -1", "      2: null",
                "      3: 2.5", "    b", "      2 B  00 ff", "    true", "      é", "    300",
                "      extension 5  07",
            ])
    }

    @Test
    func `the protobuf viewer decodes fields without a schema, and marks a field that is cut off`()
    {
        // 1: 150, 2: "testing", 3: {1: 150}, 4: bytes, 5: fixed32
        let bytes: [UInt8] =
            [0x08, 0x96, 0x01, 0x12, 0x07] + Array("testing".utf8)
            + [0x1A, 0x03, 0x08, 0x96, 0x01, 0x22, 0x02, 0xFF, 0xFE, 0x2D, 0, 0, 0x80, 0x3F]
        #expect(
            Viewed.lines("protobuf", "application/x-protobuf", bytes) == [
                "  1: 150", "  2: testing", "  3: { 3 B }", "    1: 150", "  4: 2 B  ff fe",
                "  5: 1065353216  float 1.0",
            ])
        #expect(
            Viewed.lines("messages", "application/grpc", [0, 0, 0, 0, 3, 8, 0x96, 1])
                == ["  message  3 B", "    1: 150"])
        #expect(
            Viewed.lines("protobuf", "application/x-protobuf", [0x12, 0x09, 0x41]) == [
                "  2: A cut"
            ])
    }

    @Test
    func `the multipart viewer shows each part's header and content and can open a part by itself`()
        throws
    {
        let text = [
            "--B", "Content-Disposition: form-data; name=\"text\"", "", "hello",
            "--B", "Content-Disposition: form-data; name=\"file\"; filename=\"a.json\"",
            "Content-Type: application/json", "", "{\"a\":[1,2]}", "--B--", "",
        ].joined(separator: "\r\n")
        let bytes = Array(text.utf8)
        var viewer = Viewed.viewer(
            "parts", BodyFacts(contentType: "multipart/form-data; boundary=B", bytes: bytes),
            LoadedBody(bytes))
        Viewed.finish(&viewer)
        #expect(
            Viewed.text(viewer) == [
                "  part 1  text  5 B",
                "    Content-Disposition: form-data; name=\"text\"",
                "      hello",
                "  ",
                "  part 2  file  a.json  11 B",
                "    Content-Disposition: form-data; name=\"file\"; filename=\"a.json\"",
                "    Content-Type: application/json",
                "      {…}", "        a: […]", "          0: 1", "          1: 2",
            ])
        #expect(viewer.remark == "2 parts")
        let part = try #require(viewer.nestedBody(atLine: 6))
        #expect(part.title == "part 2: a.json")
        #expect(part.source.read(from: 0, byteCount: 100) == Array("{\"a\":[1,2]}".utf8))
        #expect(BodyViewers.suited(to: part.facts).first?.name == "json")
        let hit = try #require(text.range(of: "[1,2]"))
        let offset = text.utf8.distance(from: text.startIndex, to: hit.lowerBound)
        #expect(viewer.line(atOffset: offset) == 3)
    }

    @Test
    func `a parse error before the first part of a multipart body is shown outside of any part`() {
        let bytes = Array("--B\r\nno field\r\n--B--\r\n".utf8)
        var viewer = Viewed.viewer(
            "parts", BodyFacts(contentType: "multipart/form-data; boundary=B", bytes: bytes),
            LoadedBody(bytes))
        Viewed.finish(&viewer)
        #expect(viewer.lineCount == 1)
        #expect(viewer.remark == "0 parts")
        #expect(viewer.offset(ofLine: 0) == nil)
        #expect(viewer.nestedBody(atLine: 0) == nil)
        #expect(viewer.line(atOffset: 0) == 0)
    }

    @Test func `the body viewer is chosen by content type and first bytes`() {
        func first(_ contentType: String?, _ text: String) -> String {
            BodyViewers.suited(to: BodyFacts(contentType: contentType, bytes: Array(text.utf8)))
                .first?.name ?? ""
        }
        #expect(first("application/json", "{}") == "json")
        #expect(first("application/json", "<html><body>502") == "markup")
        #expect(first("text/plain", "{\"a\":1}") == "json")
        #expect(first(nil, "a=b&c=d") == "form")
        #expect(first("image/png", "{\"error\":1}") == "json")
        #expect(first("text/event-stream", "data: 1") == "events")
        #expect(
            first("application/octet-stream", "\u{0}\u{1}\u{2}") == "hex")
        #expect(first("multipart/form-data; boundary=B", "--B\r\n") == "parts")
    }
}

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

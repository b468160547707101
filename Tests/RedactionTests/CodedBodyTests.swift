import ProxydContentCoding
import ProxydHTTPModel
import ProxydRedaction
import Testing

/// Bodies that have a content coding, or are said to be media.
struct CodedBodyTests {
    private static func gzip(_ text: String) -> [UInt8] {
        (try? ContentEncoder.encode(Array(text.utf8).span, as: .gzip)) ?? []
    }

    private static func change(_ bytes: [UInt8], _ fields: [(String, String)]) -> BodyChange {
        BodyRedactor(Redaction()).change(
            Body(bytes), HeaderFields(fields.map { (name: $0.0, value: $0.1) }), isOpaque: false)
    }

    private static let coded = [("Content-Type", "text/plain"), ("Content-Encoding", "gzip")]

    @Test func `redaction does not change a gzip body without credentials`() {
        guard case .unchanged = Self.change(Self.gzip("hello"), Self.coded) else {
            Issue.record("it was changed")
            return
        }
    }

    @Test
    func `redaction removes a gzip body's file name and any bytes after the end of the gzip data`()
    {
        let trailing = Self.gzip("hello") + Array("password=k7Zq5Wx9vB".utf8)
        var named = Self.gzip("hello")
        named[3] |= 0x08
        named.insert(contentsOf: Array("password=k7Zq5Wx9vB\0".utf8), at: 10)
        for bytes in [trailing, named] {
            guard case .replaced(let shown, _) = Self.change(bytes, Self.coded) else {
                Issue.record("it was not replaced")
                continue
            }
            #expect(shown == Array("hello".utf8))
        }
    }

    @Test(arguments: ["image/png", "audio/mpeg", "video/mp4", "font/woff2"])
    func `redaction keeps a body declared as an image, audio, video or font only if it is one`(
        type: String
    ) {
        let media: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 0x0D]
        guard case .unchanged = Self.change(media, [("Content-Type", type)]) else {
            Issue.record("an image was changed")
            return
        }
        let text = Array("password=k7Zq5Wx9vB".utf8)
        guard case .replaced(let shown, _) = Self.change(text, [("Content-Type", type)]) else {
            Issue.record("a text was not searched")
            return
        }
        #expect(shown == Array("password=REDACTED".utf8))
        guard case .removed = Self.change([1, 2, 3] + text, [("Content-Type", type)]) else {
            Issue.record("bytes that cannot be searched were kept")
            return
        }
    }

    @Test
    func `no credential remains in a redacted multipart body, however deeply its parts are nested`()
    {
        func body(_ depth: Int) -> String {
            var content = "password=k7Zq5Wx9vB"
            var type = "text/plain"
            for level in 0..<depth {
                content =
                    "--b\(level)x\r\nContent-Type: \(type)\r\n\r\n\(content)\r\n--b\(level)x--\r\n"
                type = "multipart/mixed; boundary=b\(level)x"
            }
            return content
        }
        for depth in [2, 10, 200, 2_000] {
            let type = "multipart/mixed; boundary=b\(depth - 1)x"
            let fields = HeaderFields([("Content-Type", type)])
            let shown = Redaction().body(Array(body(depth).utf8), fields: fields) ?? []
            #expect(!String(decoding: shown, as: UTF8.self).contains("k7Zq5Wx9vB"))
        }
    }
}

import ProxydContentCoding
import ProxydPresentation
import Testing

/// Bodies that come in drips, are cut, or are nothing that anyone would send.
struct BodyViewersGrowthTests {
    private static let samples: [(String, String)] = [
        ("application/json", #"{"a":[1,{"b":"c\"d"},[]],"e":"é😀","f":{},"g":[[[0]]]} [1] x"#),
        ("text/html", "<!-- c --><ul class=a><li>one<li>two <b>x</b></ul><script>a<b</script>t"),
        ("text/javascript", "f(/a\\/b/,'x;',`}`);/* c */function g(){return 1}//e\nif(a){b}"),
        ("text/event-stream", "id: 1\ndata: a\n\ndata: é\n\n"),
        ("application/x-www-form-urlencoded", "a=1&b=%C3%A9&&c&d=+x"),
        (
            "multipart/form-data; boundary=B",
            "--B\r\nContent-Disposition: form-data; name=a\r\n\r\nx\r\n--B--\r\n"
        ),
        ("application/msgpack", "\u{4}\u{5}abc"),
        ("application/x-protobuf", "\u{8}\u{1}\u{12}\u{2}ab"),
        ("text/plain", "one\ntwo\r\nthree"),
    ]

    @Test func `body viewers show the same lines whether a body arrives whole or in pieces`() {
        for (contentType, text) in BodyViewersGrowthTests.samples {
            let bytes = Array(text.utf8)
            let facts = BodyFacts(contentType: contentType, bytes: bytes)
            for type in BodyViewers.all {
                let whole = Viewed.lines(type.name, contentType, bytes)
                for step in [1, 3, 7] {
                    let body = DrippingBody(bytes)
                    var viewer = type.init(facts, body)
                    for end in stride(from: 0, through: bytes.count + step, by: step) {
                        body.grow(to: end)
                        viewer.advance(byteBudget: 1 << 20)
                        _ = viewer.lines(0..<viewer.lineCount)
                    }
                    Viewed.finish(&viewer)
                    #expect(
                        Viewed.text(viewer) == whole, "\(type.name) of \(contentType) by \(step)")
                }
            }
        }
    }

    @Test func `a displayed body that has grown is shown up to its new end`() {
        let bytes = Array("[1,2,3,4]".utf8)
        let body = LoadedBody(mayGrow: true)
        body.load(upTo: .max, from: PiecewiseOrigin(bytes: Array(bytes.prefix(4)))) { false }
        var viewer = Viewed.viewer(
            "json", BodyFacts(contentType: "application/json", bytes: bytes), body)
        Viewed.finish(&viewer)
        #expect(Viewed.text(viewer) == ["▾ […]", "    0: 1", "    1: 2"])
        body.originChanged(mayGrow: false)
        body.load(upTo: .max, from: PiecewiseOrigin(bytes: bytes)) { false }
        Viewed.finish(&viewer)
        #expect(Viewed.text(viewer) == ["▾ […]", "    0: 1", "    1: 2", "    2: 3", "    3: 4"])
    }

    @Test func `no body viewer crashes on random bytes or shows control characters`() {
        var numbers = TestNumbers(seed: 42)
        let seeds = BodyViewersGrowthTests.samples.map { Array($0.1.utf8) }
        for round in 0..<120 {
            var bytes: [UInt8]
            if round % 2 == 0 {
                bytes = (0..<Int.random(in: 0...400, using: &numbers)).map { _ in
                    UInt8.random(in: 0...255, using: &numbers)
                }
            } else {
                bytes = seeds[round % seeds.count]
                for _ in 0..<4 where !bytes.isEmpty {
                    let index = Int.random(in: bytes.indices, using: &numbers)
                    bytes[index] = UInt8.random(in: 0...255, using: &numbers)
                }
            }
            for contentType in [nil, BodyViewersGrowthTests.samples[round % seeds.count].0] {
                let facts = BodyFacts(contentType: contentType, bytes: bytes)
                for type in BodyViewers.all {
                    var viewer = type.init(facts, LoadedBody(bytes))
                    Viewed.finish(&viewer)
                    check(viewer, bytes)
                    if viewer.setFoldDepth(1) {
                        Viewed.finish(&viewer)
                        check(viewer, bytes)
                    }
                }
            }
        }
    }

    private func check(_ viewer: any BodyViewer, _ bytes: [UInt8]) {
        #expect(viewer.isComplete)
        for line in viewer.lines(0..<viewer.lineCount) {
            let isSafe = line.safeText.unicodeScalars.allSatisfy {
                $0.value >= 0x20 && $0.value != 0x7F && !(0x80...0x9F).contains($0.value)
                    && $0.properties.generalCategory != .format
            }
            #expect(isSafe, "\(type(of: viewer).name): \(bytes)")
        }
        let name = type(of: viewer).name
        for offset in [0, bytes.count / 2, bytes.count - 1] where bytes.indices.contains(offset) {
            guard let line = viewer.line(atOffset: offset) else {
                // Lines of GraphQL have no offsets, and a body that is no form may have no parts.
                #expect(["graphql", "parts"].contains(name), "\(name): \(bytes)")
                continue
            }
            #expect((0..<max(1, viewer.lineCount)).contains(line), "\(name): \(bytes)")
        }
    }

    @Test func `content codings of a displayed body are decoded, and decoding errors are reported`()
        throws
    {
        let plain = Array(String(repeating: "hello hello ", count: 500).utf8)
        let coded: [UInt8] =
            // gzip(1) of "hello\n"
            [
                0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0xE7, 2, 0, 0x20,
                0x30, 0x3A, 0x36, 6, 0, 0, 0,
            ]
        let body = LoadedBody(contentEncoding: "gzip")
        body.load(upTo: .max, from: PiecewiseOrigin(bytes: coded, pieceByteCount: 5)) { false }
        #expect(body.read(from: 0, byteCount: 100) == Array("hello\n".utf8))
        #expect(body.extent.failure == nil)

        let cut = LoadedBody(contentEncoding: "gzip")
        cut.load(upTo: .max, from: PiecewiseOrigin(bytes: Array(coded.prefix(20)))) { false }
        #expect(cut.extent.isComplete)
        #expect(cut.extent.failure?.contains("ends too early") == true)

        let unknown = LoadedBody(contentEncoding: "rot13")
        unknown.load(upTo: .max, from: PiecewiseOrigin(bytes: plain)) { false }
        #expect(unknown.extent.byteCount == plain.count)
        #expect(unknown.extent.failure == nil)
        #expect(unknown.extent.remark?.contains("not known") == true)

        let text = LoadedBody(contentEncoding: "br", mayGrow: true)
        text.load(upTo: .max, from: PiecewiseOrigin(bytes: Array(plain.prefix(9)))) { false }
        #expect(text.extent.byteCount == 0)
        text.originChanged(mayGrow: false)
        text.load(upTo: .max, from: PiecewiseOrigin(bytes: plain)) { false }
        #expect(text.read(from: 0, byteCount: plain.count) == plain)
        #expect(text.extent.remark?.contains("not br") == true)

        let facts = BodyFacts(
            contentType: "text/plain", contentEncoding: "gzip", passedByteCount: 200_000_000,
            keptByteCount: 16_777_216, beginning: [])
        #expect(
            facts.summary(cut.extent)
                == "text/plain · gzip, 16.8 MB → 6 B · truncated: kept 16.8 MB of 200 MB"
                + " · the gzip content ends too early")
    }

    @Test func `a large body is loaded in parts, and any range of it can be read`() {
        let bytes = (0..<(3 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        let body = LoadedBody()
        body.load(upTo: 100_000, from: PiecewiseOrigin(bytes: bytes, pieceByteCount: 65_536)) {
            false
        }
        #expect(body.extent.byteCount == 131_072)
        #expect(!body.extent.isComplete)
        body.load(upTo: .max, from: PiecewiseOrigin(bytes: bytes, pieceByteCount: 65_537)) {
            false
        }
        #expect(body.extent.byteCount == bytes.count)
        for offset in [0, 131_071, 1_048_575, 1_048_577, 3_000_000] {
            #expect(
                body.read(from: offset, byteCount: 5_000)
                    == Array(bytes[offset..<min(bytes.count, offset + 5_000)]))
        }
        #expect(body.read(from: bytes.count, byteCount: 1) == [])
        #expect(body.read(from: -1, byteCount: 1) == [])
    }

    @Test func `a cancelled load of a body stops and can be resumed`() {
        let bytes = [UInt8](repeating: 7, count: 10_000)
        let body = LoadedBody()
        body.load(upTo: .max, from: PiecewiseOrigin(bytes: bytes)) { true }
        #expect(body.extent.byteCount == 1_000)
        #expect(!body.extent.isComplete)
        body.load(upTo: .max, from: PiecewiseOrigin(bytes: bytes)) { false }
        #expect(body.extent.byteCount == 10_000)
        #expect(body.extent.isComplete)
    }
}

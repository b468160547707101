import ProxydContentCoding
import ProxydHTTPModel
import ProxydInterchange
import ProxydStoreTestSupport
import Testing

/// HAR in what other programs wrap it in.
struct HARContainerTests {
    private static let log = HARText.log(
        HARText.entry(
            url: "http://a.test/1",
            response: #"{"status":200,"content":{"mimeType":"text/plain","text":"日本 😀"}}"#),
        HARText.entry(url: "http://a.test/2"))

    private func wide(_ bytes: [UInt8], isBigEndian: Bool, hasMark: Bool = true) -> [UInt8] {
        let units = (hasMark ? [0xFEFF] : []) + String(decoding: bytes, as: UTF8.self).utf16
        return units.flatMap { unit in
            let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
            return isBigEndian ? [high, low] : [low, high]
        }
    }

    private func gzip(_ bytes: [UInt8]) throws -> [UInt8] {
        try ContentEncoder.encode(bytes.span, as: .gzip)
    }

    private func outcomes(_ entries: [InterchangeReader.WholeEntry]) -> [String] {
        entries.map { entry in
            switch entry {
            case .success(let imported):
                "\(imported.exchange.request.url?.description ?? "") "
                    + String(decoding: imported.exchange.response?.body.kept ?? [], as: UTF8.self)
            case .failure(let problem): problem.description
            }
        }
    }

    private static let whole = ["http://a.test/1 日本 😀", "http://a.test/2 "]

    @Test(arguments: [1, 2, 3, 7, 1 << 20])
    func `a HAR file in UTF-16, in gzip or with a byte order mark is imported however it is split`(
        count: Int
    ) throws {
        let log = HARContainerTests.log
        let files = [
            [0xEF, 0xBB, 0xBF] + log, wide(log, isBigEndian: false), wide(log, isBigEndian: true),
            wide(log, isBigEndian: false, hasMark: false),
            wide(log, isBigEndian: true, hasMark: false), try gzip(log),
            try gzip(wide(log, isBigEndian: false)), try gzip(log) + gzip([]),
        ]
        for (number, file) in files.enumerated() {
            let entries = try InterchangeReader.entries(of: file, pieceByteCount: count)
            #expect(outcomes(entries) == HARContainerTests.whole, "\(number)")
        }
    }

    @Test func `a damaged gzipped HAR file is imported up to the damage, which is reported`() throws
    {
        let file = try gzip(HARContainerTests.log)
        let cut = outcomes(try InterchangeReader.entries(of: Array(file.dropLast(9))))
        #expect(cut.last == "its compressed data ends too early")
        var odd = file
        odd[odd.count - 6] ^= 0xFF
        let broken = outcomes(try InterchangeReader.entries(of: odd))
        #expect(broken == HARContainerTests.whole + ["its compressed data is damaged"])
        let half = Array(HARContainerTests.log.dropLast(30))
        #expect(
            outcomes(try InterchangeReader.entries(of: try gzip(half))).last
                == "entry 2: the file ends too early")
    }

    @Test
    func `a HAR file gzipped twice is rejected, but one that expands greatly is still imported`()
        throws
    {
        let spaces = [UInt8](repeating: 0x20, count: 8 << 20)
        let bomb = try gzip(try gzip(HARContainerTests.log.dropLast() + spaces))
        // Only one coding is removed.
        #expect(
            outcomes(try InterchangeReader.entries(of: bomb)) == [
                "it is a compressed archive or packet capture: unpack it first, as with gunzip"
            ])
        let large = try gzip(HARContainerTests.log + spaces)
        let said = outcomes(try InterchangeReader.entries(of: large))
        #expect(said.prefix(2) == HARContainerTests.whole[...])
        #expect(
            said.count == 2
                || said.last == "it becomes more than a thousand times as large as it is")
    }

    @Test func `a gzipped packet capture or archive is rejected with a hint to unpack it`()
        throws
    {
        for start: [UInt8] in [[0x0A, 0x0D, 0x0D, 0x0A], [0x50, 0x4B, 3, 4]] {
            let file = try gzip(start + [UInt8](repeating: 0, count: 20))
            #expect(
                outcomes(try InterchangeReader.entries(of: file)) == [
                    "it is a compressed archive or packet capture: unpack it first, as with gunzip"
                ])
        }
    }

    // MARK: Archives

    private func read(_ archive: ZIPArchive) throws -> [InterchangeReader.WholeEntry]? {
        try read(archive.file)
    }

    private func read(_ file: [UInt8]) throws -> [InterchangeReader.WholeEntry]? {
        guard var found = try HARArchive(ByteFile(file)) else { return nil }
        var entries: [InterchangeReader.WholeEntry] = []
        try found.read(progress: { _ in true }) { entry in
            switch entry {
            case .success(.exchange(let exchange)): entries.append(.success(exchange))
            case .failure(let problem): entries.append(.failure(problem))
            case .success: break
            }
        }
        return entries
    }

    @Test func `the HAR importer reads Playwright archives with response bodies in separate files`()
        throws
    {
        var archive = ZIPArchive()
        archive.add(
            "har.har",
            HARText.log(
                HARText.entry(
                    url: "http://a.test/1",
                    response: #"{"status":200,"content":{"size":-1,"_file":"0a1b.txt"}}"#),
                HARText.entry(
                    url: "http://a.test/2", method: "POST",
                    request: #","postData":{"mimeType":"text/plain","_file":"../0a1b.txt"}"#),
                HARText.entry(
                    url: "http://a.test/3",
                    response: #"{"status":200,"content":{"size":-1,"_file":"none"}}"#)))
        archive.add("0a1b.txt", Array("beside".utf8))
        let entries = try #require(try read(archive))
        #expect(
            outcomes(entries) == ["http://a.test/1 beside", "http://a.test/2 ", "http://a.test/3 "])
        #expect(
            try entries.map { try $0.get().exchange.annotations.tags } == [
                ["rebuilt-head"], ["rebuilt-head", "missing-body"],
                ["rebuilt-head", "missing-body"],
            ])
    }

    @Test func `body files of a HAR archive are looked up in the folder that contains the HAR log`()
        throws
    {
        var archive = ZIPArchive()
        archive.add(
            "run/har.har",
            HARText.log(
                HARText.entry(
                    url: "http://a.test/1",
                    response: #"{"status":200,"content":{"_file":"0a1b.txt"}}"#)))
        archive.add("run/0a1b.txt", Array("beside".utf8))
        archive.add("0a1b.txt", Array("elsewhere".utf8))
        #expect(outcomes(try #require(try read(archive))) == ["http://a.test/1 beside"])
    }

    @Test func `metadata files that macOS adds to an archive are not read as HAR logs`() throws {
        var archive = ZIPArchive()
        archive.add("a.har", HARContainerTests.log)
        archive.add("__MACOSX/._a.har", [0, 5, 0x16, 7])
        #expect(outcomes(try #require(try read(archive))) == HARContainerTests.whole)
    }

    @Test
    func `a HAR file in a nested archive is rejected with a hint to unpack the archive`()
        throws
    {
        var inner = ZIPArchive()
        inner.add("a.har", HARContainerTests.log)
        var outer = ZIPArchive()
        outer.add("a.har", inner.file)
        let problem = #expect(throws: ImportProblem.self) { try read(outer) }
        #expect(
            problem?.message
                == "its HAR file is an archive or a packet capture: unpack it first")
    }

    @Test func `the readable entries of a damaged HAR archive are imported`() throws {
        var archive = ZIPArchive()
        archive.add("a.har", HARContainerTests.log, isDeflated: false)
        var odd = archive.file
        let place = try #require(odd.firstRange(of: Array("test/1".utf8))?.upperBound)
        odd[place - 1] = UInt8(ascii: "7")
        #expect(
            outcomes(try #require(try read(odd)))
                == ["http://a.test/7 日本 😀", "http://a.test/2 ", "its data is damaged"])
        // Without the second entry and the directory.
        let start = try #require(odd.firstRange(of: Array("test/2".utf8))?.lowerBound)
        #expect(
            outcomes(try #require(try read(Array(odd[..<start]))))
                == ["the file ends too early", "http://a.test/7 日本 😀"])
    }

    @Test
    func `a ZIP archive is read as HAR only if it has exactly one HAR log and no Fiddler sessions`()
        throws
    {
        var archive = ZIPArchive()
        archive.add("x.txt", [0x78])
        #expect(try read(archive) == nil)
        archive.add("a/B.HAR", HARContainerTests.log)
        #expect(outcomes(try #require(try read(archive))) == HARContainerTests.whole)
        var two = archive
        two.add("c.har", HARContainerTests.log)
        let problem = #expect(throws: ImportProblem.self) { try read(two) }
        #expect(
            problem?.message == "it has 2 HAR files: unpack it, and import each of them")
        archive.add("raw/1_c.txt", Array("GET http://a.test/ HTTP/1.1\r\n\r\n".utf8))
        #expect(try read(archive) == nil)
    }
}

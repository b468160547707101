import ProxydHTTPModel
import ProxydHTTPWire
import ProxydInterchange
import ProxydStoreTestSupport
import Testing

/// Archives of Fiddler.
struct FiddlerImportTests: FiddlerReading {
    private static let facts = """
        <?xml version="1.0"?><Session SID="1"><SessionTimers \
        ClientConnected="0001-01-01T00:00:00" \
        ClientBeginRequest="2026-11-23T01:00:00.0100000+00:00" \
        ClientDoneRequest="2026-11-23T01:00:00.0120000+00:00" DNSTime="3" TCPConnectTime="12" \
        HTTPSHandshakeTime="5" ServerConnected="2026-11-23T01:00:00.0500000+00:00" \
        FiddlerBeginRequest="2026-11-23T01:00:00.0510000+00:00" \
        ServerDoneResponse="2026-11-23T01:00:00.0950000+00:00" \
        ClientDoneResponse="2026-11-23T01:00:00.0970000+00:00"/><SessionFlags>\
        <SessionFlag N="x-clientip" V="::ffff:127.0.0.1"/><SessionFlag N="x-clientport" V="4"/>\
        <SessionFlag N="x-processinfo" V="curl:4711"/><SessionFlag N="x-hostip" V="2001:db8::7"/>\
        <SessionFlag N="ui-comments" V="a &lt;b&gt; &#x41;"/></SessionFlags></Session>
        """
    private static let request =
        "POST https://a.test/p HTTP/1.1\r\nhost:  a.test\r\nContent-Length: 4\r\n\r\nbody"
    private static let response =
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX-T: 1\r\n\r\n"

    private func members(_ number: String = "1", response: String = response)
        -> [(name: String, text: String)]
    {
        [
            ("raw/\(number)_c.txt", FiddlerImportTests.request),
            ("raw/\(number)_m.xml", FiddlerImportTests.facts),
            ("raw/\(number)_s.txt", response),
        ]
    }

    private func only(_ file: ZIPArchive) throws -> ImportedExchange {
        let entries = try entries(file)
        #expect(entries.count == 1)
        return try #require(entries.first).get()
    }

    private func problems(_ file: any ArchiveFile) throws -> [ImportProblem] {
        try entries(file).compactMap {
            if case .failure(let problem) = $0 { problem } else { nil }
        }
    }

    @Test func `the Fiddler importer keeps heads byte for byte and removes the chunked coding`()
        throws
    {
        let exchange = try only(ZIPArchive(members("0017"))).exchange
        #expect(
            exchange.request.head?.bytes
                == Array(FiddlerImportTests.request.utf8.dropLast(4)))
        #expect(exchange.request.url?.description == "https://a.test/p")
        #expect(exchange.request.body == Body(Array("body".utf8)))
        #expect(exchange.response?.body == Body(Array("hello".utf8)))
        #expect(exchange.response?.trailers?.pairs.map(\.name) == ["X-T"])
        #expect(exchange.annotations == .init(note: "a <b> A"))
        #expect(exchange.client?.peerAddress == "127.0.0.1:4")
        #expect(exchange.client?.process == .init(pid: 4_711, name: "curl"))
        #expect(exchange.server?.peerAddress == "[2001:db8::7]:443")
        #expect(exchange.timeline.wallStart == 1_795_395_600_010_000_000)
        #expect(exchange.timeline[.requestLastByte] == 2_000_000)
        #expect(exchange.timeline.tls == 5_000_000)
        #expect(exchange.timeline.connect == 12_000_000)
        #expect(exchange.timeline[.delivered] == 87_000_000)
        #expect(exchange.state == .complete)
    }

    @Test func `Fiddler sessions are imported in the order of their numbers`() throws {
        let archive = ZIPArchive(members("10") + members("9") + members("100"))
        let entries = try entries(archive)
        #expect(entries.count == 3)
        let odd = ZIPArchive(
            members("10", response: "no HTTP\r\n\r\n")
                + members("9", response: "HTTP/1.1 204 No Content\r\n\r\n"))
        let states = try self.entries(odd).map { try $0.get().exchange.state }
        #expect(states == [.complete, .failed])
    }

    @Test func `the Fiddler importer keeps the raw bytes of messages that are not valid HTTP`()
        throws
    {
        let refused = try only(ZIPArchive(members(response: "no HTTP\r\n\r\n"))).exchange
        #expect(refused.responseFault?.refusal?.bytes.isEmpty == false)
        #expect(refused.failure?.kind == .malformedResponse)
        let archive = ZIPArchive([("raw/1_c.txt", "\u{1}\u{2}\r\n\r\n"), ("raw/1_s.txt", "")])
        let malformed = try only(archive)
        #expect(malformed.malformedHead?.isEmpty == false)
        #expect(malformed.exchange.failure?.kind == .malformedRequest)
        #expect(malformed.exchange.annotations.tags == ["missing-time"])
    }

    @Test func `the Fiddler importer recognizes dechunked, truncated and missing responses`() throws
    {
        let unchunked = try only(
            ZIPArchive(
                members(response: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{\"a\":1}"))
        )
        #expect(unchunked.exchange.response?.body == Body(Array("{\"a\":1}".utf8)))
        let cut = try only(
            ZIPArchive(members(response: "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")))
        #expect(cut.exchange.response?.body == Body(byteCount: 10, kept: Array("half".utf8)))
        let none = try only(ZIPArchive(members(response: ""))).exchange
        #expect(none.response == nil)
        #expect(none.failure?.message == "no response was recorded")
    }

    @Test(arguments: [("HTTP/2", HTTPVersion.http2), ("HTTP/2.0", .http2), ("HTTP/3", .http3)])
    func `HTTP/2 and HTTP/3 sessions that Fiddler wrote in HTTP/1 syntax are imported`(
        text: String, version: HTTPVersion
    ) throws {
        let archive = ZIPArchive([
            ("raw/1_c.txt", "POST https://a.test/p \(text)\r\nHost: a.test\r\nA: 1\r\n\r\nbody"),
            ("raw/1_s.txt", "\(text) 201\r\nServer: x\r\n\r\nmade\r\n\r\nhere"),
            ("raw/1_m.xml", FiddlerImportTests.facts),
        ])
        let exchange = try only(archive).exchange
        #expect(exchange.state == .complete)
        #expect(exchange.request.url?.description == "https://a.test/p")
        #expect(exchange.request.head?.version == version)
        #expect(exchange.request.head?.fields.pairs.map(\.name) == ["a"])
        #expect(exchange.request.body == Body(Array("body".utf8)))
        #expect(exchange.response?.head.version == version)
        #expect(exchange.response?.status == 201)
        #expect(exchange.response?.body == Body(Array("made\r\n\r\nhere".utf8)))
        #expect(exchange.annotations.tags == ["rebuilt-head"])
    }

    @Test(arguments: ["Host: a.test", ":method: GET\r\n:authority: a.test\r\n:path: /p"])
    func `the host of an HTTP/2 session from Fiddler is read from Host or a pseudo-header field`(
        fields: String
    ) throws {
        let archive = ZIPArchive([
            ("raw/1_c.txt", "GET /p HTTP/2\r\n\(fields)\r\n\r\n"),
            ("raw/1_s.txt", "HTTP/2 200 OK\r\n:status: 200\r\n\r\n"),
            ("raw/1_m.xml", FiddlerImportTests.facts),
        ])
        let exchange = try only(archive).exchange
        #expect(exchange.request.url?.description == "https://a.test/p")
        #expect(exchange.response?.status == 200)
        #expect(exchange.annotations.tags == ["rebuilt-head"])
    }

    @Test func `a Fiddler CONNECT session is imported as a tunnel`() throws {
        let archive = ZIPArchive([
            ("raw/1_c.txt", "CONNECT a.test:443 HTTP/1.1\r\nHost: a.test\r\n\r\nA TLS handshake"),
            ("raw/1_s.txt", "HTTP/1.1 200 Connection Established\r\n\r\nThe tunnel\r\n"),
        ])
        let exchange = try only(archive).exchange
        #expect(exchange.state == .tunnel)
        #expect(exchange.request.url == .tunnel(host: "a.test", port: 443))
    }

    @Test func `the Fiddler importer unmasks and decompresses WebSocket messages`() throws {
        var frames: [UInt8] = []
        func add(_ name: String, _ bytes: [UInt8]) {
            let lines = "\(name)-Length: \(bytes.count)\r\nID: 1\r\nBitFlags: 0\r\n"
            frames += Array(lines.utf8)
            frames += Array("DoneRead: 2026-11-23T01:00:00.1100000+00:00\r\n\r\n".utf8)
            frames += bytes + [0x0D, 0x0A]
        }
        add("Request", [0x81, 0x82, 1, 2, 3, 4, 0x68 ^ 1, 0x69 ^ 2])
        // RFC 7692 §7.2.3.1: "Hello", compressed.
        add("Response", [0xC1, 7, 0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00])
        var archive = ZIPArchive([
            (
                "raw/1_c.txt",
                "GET https://a.test/ws HTTP/1.1\r\nHost: a.test\r\nUpgrade: websocket\r\n"
                    + "Connection: Upgrade\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n"
            ),
            (
                "raw/1_s.txt",
                "HTTP/1.1 101 Switching\r\nUpgrade: WebSocket\r\nConnection: Upgrade\r\n"
                    + "Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n"
            ), ("raw/1_m.xml", FiddlerImportTests.facts),
        ])
        archive.add("raw/1_w.txt", frames)
        let imported = try only(archive)
        #expect(imported.exchange.upgradedTo == "websocket")
        #expect(imported.messages.map(\.direction) == [.toServer, .toClient])
        #expect(
            imported.messages.map(\.content) == [
                .bytes(Array("hi".utf8)), .bytes(Array("Hello".utf8)),
            ])
        #expect(imported.messages.map(\.offsetNs) == [100_000_000, 100_000_000])
    }
}

/// Archives that are broken or hostile.
struct FiddlerArchiveTests {
    private static let members = [
        ("raw/1_c.txt", "GET http://a.test/1 HTTP/1.1\r\nHost: a.test\r\n\r\n"),
        ("raw/1_m.xml", "<x/>"), ("raw/1_s.txt", "HTTP/1.1 204 No Content\r\n\r\n"),
        ("raw/2_c.txt", "GET http://a.test/2 HTTP/1.1\r\nHost: a.test\r\n\r\n"),
        ("raw/2_m.xml", "<x/>"), ("raw/2_s.txt", "HTTP/1.1 204 No Content\r\n\r\n"),
    ].map { (name: $0.0, text: $0.1) }

    private func read(
        _ file: any ArchiveFile, byteCountMax: Int64? = nil
    ) throws -> (urls: [String], problems: [ImportProblem]) {
        var urls: [String] = []
        var problems: [ImportProblem] = []
        do {
            var archive = try FiddlerArchive(file, byteCountMax: byteCountMax)
            try archive.read(progress: { _ in true }) { entry in
                switch entry {
                case .success(.exchange(let imported)):
                    urls.append(imported.exchange.request.url?.description ?? "")
                case .success: break
                case .failure(let problem): problems.append(problem)
                }
            }
        } catch let problem as ImportProblem {
            problems.append(problem)
        }
        return (urls, problems)
    }

    @Test
    func `sessions of an encrypted Fiddler archive are rejected with a message about the password`()
        throws
    {
        var archive = ZIPArchive()
        archive.flags = 1
        for member in FiddlerArchiveTests.members {
            archive.add(member.name, Array(member.text.utf8))
        }
        let (urls, problems) = try read(archive)
        #expect(urls.isEmpty)
        #expect(problems.allSatisfy { $0.message.contains("without a password") })
        #expect(problems.count == 2)
    }

    @Test(arguments: [false, true])
    func `the sessions before the damaged part of a Fiddler archive are imported`(
        hasDescriptors: Bool
    )
        throws
    {
        var archive = ZIPArchive()
        archive.hasDescriptors = hasDescriptors
        for member in FiddlerArchiveTests.members {
            archive.add(member.name, Array(member.text.utf8))
        }
        let file = archive.file
        archive.hasDirectory = false
        let (urls, problems) = try read(archive)
        #expect(urls == ["http://a.test/1", "http://a.test/2"])
        #expect(problems.map(\.description) == ["the file ends too early"])
        let isDamage = problems.allSatisfy(\.isDamage)
        #expect(isDamage)
        let last = archive.file.count
        let cut = try read(ByteFile(Array(file.prefix(last - 3))))
        #expect(cut.urls == ["http://a.test/1"])
        #expect(cut.problems.map(\.description) == ["the file ends too early"])
        for count in stride(from: 0, to: file.count, by: 5) {
            _ = try read(ByteFile(Array(file.prefix(count))))
        }
    }

    @Test func `ZIP members whose paths lead outside the archive are ignored and reported`()
        throws
    {
        var archive = ZIPArchive(FiddlerArchiveTests.members)
        archive.add("raw/../raw/3_c.txt", [1])
        archive.add("/etc/cron.d/x", [1])
        archive.add("raw\\..\\4_c.txt", [1])
        let (urls, problems) = try read(archive)
        #expect(urls.count == 2)
        #expect(
            problems.map(\.message)
                == ["it has members whose names lead out of it; they were ignored"])
    }

    @Test func `unpacking a Fiddler archive stops if it expands too much or its members overlap`()
        throws
    {
        let request = Array("GET http://a.test/1 HTTP/1.1\r\nHost: a.test\r\n\r\n".utf8)
        var archive = ZIPArchive()
        let spaces = [UInt8](repeating: 0x20, count: 300_000)
        for number in 1...4 {
            archive.add("raw/\(number)_c.txt", request)
            archive.add(
                "raw/\(number)_s.txt", Array("HTTP/1.1 200 OK\r\n\r\n".utf8) + spaces)
        }
        let (urls, problems) = try read(ByteFile(archive.file), byteCountMax: 1_000_000)
        #expect(urls.count == 3)
        #expect(problems.last?.message.contains("more than a hundred times") == true)
        #expect(problems.last?.place == "session 4")
        var shared = ZIPArchive(FiddlerArchiveTests.members)
        shared.repeatFirst(as: "raw/3_c.txt")
        #expect(try read(shared).problems.map(\.message) == ["its members overlap"])
    }

    @Test func `wrong sizes and checksums in a Fiddler archive are detected`() throws {
        var archive = ZIPArchive()
        archive.sizeError = 1
        for member in FiddlerArchiveTests.members {
            archive.add(member.name, Array(member.text.utf8))
        }
        #expect(
            try read(archive).problems.map(\.description)
                == ["session 1: its data is damaged", "session 2: its data is damaged"])
        var file = ZIPArchive(FiddlerArchiveTests.members).file
        // Within the data of the first member.
        file[30 + 11 + 4] ^= 0x55
        let (urls, problems) = try read(ByteFile(file))
        #expect(urls == ["http://a.test/2"])
        #expect(problems.map(\.description) == ["session 1: its data is damaged"])
    }

    @Test func `a ZIP archive without Fiddler sessions is reported as such`() throws {
        let (_, problems) = try read(ZIPArchive([("1-meta.json", "{}")]))
        #expect(problems.first?.message.contains("no sessions of Fiddler") == true)
    }

    @Test(.enabled(if: ImportVectors.folder != nil, "no ../shared/vectors beside the repository"))
    func `a sample archive of Fiddler is imported`() throws {
        let (urls, problems) = try read(ByteFile(try ImportVectors.bytes("tiny.saz")))
        #expect(urls == ["https://api.test/login"])
        #expect(problems.isEmpty)
    }
}

/// Reads archives of Fiddler.
protocol FiddlerReading {}

extension FiddlerReading {
    func entries(_ file: any ArchiveFile) throws -> [InterchangeReader.WholeEntry] {
        var entries: [InterchangeReader.WholeEntry] = []
        var archive = try FiddlerArchive(file)
        try archive.read(progress: { _ in true }) { entry in
            switch entry {
            case .success(.exchange(let exchange)): entries.append(.success(exchange))
            case .success(.messages(let messages)):
                guard case .success(var last)? = entries.popLast() else { return }
                last.messages += messages
                entries.append(.success(last))
            case .success(.leftOut): break
            case .failure(let problem): entries.append(.failure(problem))
            }
        }
        return entries
    }
}

import ProxydHTTPModel
import ProxydInterchange
import ProxydStoreTestSupport
import Testing

/// The forms that ZIP archives have (APPNOTE 6.3), and lies in them.
struct ZIPFormTests: FiddlerReading {
    private static let request = Array("GET http://a.test/1 HTTP/1.1\r\nHost: a.test\r\n\r\n".utf8)
    private static let response = Array("HTTP/1.1 204 No Content\r\n\r\n".utf8)

    private var archive: ZIPArchive {
        var archive = ZIPArchive()
        archive.add("raw/1_c.txt", ZIPFormTests.request, isDeflated: false)
        archive.add("raw/1_m.xml", Array("<x/>".utf8))
        archive.add("raw/1_s.txt", ZIPFormTests.response)
        return archive
    }

    private func urls(_ file: [UInt8]) throws -> [String] {
        try entries(ByteFile(file)).map { entry in
            switch entry {
            case .success(let imported): imported.exchange.request.url?.description ?? ""
            case .failure(let problem): problem.description
            }
        }
    }

    /// What is said about a file that is no archive at all.
    private func refusal(_ file: [UInt8]) -> String? {
        do {
            _ = try entries(ByteFile(file))
            return nil
        } catch let problem as ImportProblem {
            return problem.message
        } catch {
            return "\(error)"
        }
    }

    /// The archive with a comment at its end.
    private func commented(_ comment: [UInt8]) -> [UInt8] {
        let length = [UInt8(comment.count & 0xFF), UInt8(comment.count >> 8)]
        return Array(archive.file.dropLast(2)) + length + comment
    }

    @Test func `a ZIP archive may end with a comment that is long or resembles an end record`()
        throws
    {
        let end: [UInt8] = [0x50, 0x4B, 5, 6]
        for comment in [
            [], Array("made by hand".utf8), [UInt8](repeating: 0x41, count: 65_535),
            end + [UInt8](repeating: 0, count: 60),
            [UInt8](repeating: 0x20, count: 100) + end,
        ] {
            #expect(try urls(commented(comment)) == ["http://a.test/1"])
        }
    }

    @Test(arguments: [
        "RAW/1_C.TXT", "raw\\1_c.txt", "raw/00001_c.txt", "Raw/1_c.htm",
    ])
    func `member names of a Fiddler session may have any case, backslashes or leading zeros`(
        name: String
    ) throws {
        var archive = ZIPArchive()
        archive.add(name, ZIPFormTests.request)
        archive.add("raw/1_s.txt", ZIPFormTests.response)
        #expect(try urls(archive.file) == ["http://a.test/1"])
    }

    @Test(arguments: [
        "raw/1_x.txt", "raw/_c.txt", "raw/1c.txt", "raw/-1_c.txt", "raw/1_c.txtx", "1_c.txt",
        "x/raw/1_c.txt", "raw/99999999999999999999_c.txt", "raw/\u{661}_c.txt", "raw//1_c.txt",
    ])
    func `a ZIP member with any other name is not part of a Fiddler session`(name: String) throws {
        var archive = ZIPArchive()
        archive.add(name, ZIPFormTests.request)
        #expect(refusal(archive.file)?.contains("no sessions of Fiddler") == true)
    }

    @Test func `the first of two ZIP members with the same name is used`() throws {
        var twice = archive
        twice.add("raw/1_c.txt", Array("GET http://b.test/ HTTP/1.1\r\n\r\n".utf8))
        #expect(try urls(twice.file) == ["http://a.test/1"])
    }

    @Test func `a Fiddler session without a request is reported`() throws {
        var only = ZIPArchive()
        only.add("raw/3_s.txt", ZIPFormTests.response)
        #expect(try urls(only.file) == ["session 3: it has no request"])
    }

    /// The archive with a byte of its first entry in the directory changed.
    private func changed(at position: Int, to bytes: [UInt8]) -> [UInt8] {
        var file = archive.file
        let mark: [UInt8] = [0x50, 0x4B, 1, 2]
        let start = file.indices.first { file[$0...].starts(with: mark) } ?? 0
        for (index, byte) in bytes.enumerated() { file[start + position + index] = byte }
        return file
    }

    @Test func `wrong values in a ZIP directory are detected`() throws {
        #expect(
            try urls(changed(at: 10, to: [12, 0]))
                == ["session 1: it is compressed in a way that is not known (12)"])
        #expect(try urls(changed(at: 16, to: [1, 2, 3, 4])) == ["session 1: its data is damaged"])
        #expect(
            try urls(changed(at: 24, to: [0xFF, 0xFF, 0xFF, 0x7F]))
                == ["session 1: a part of it is longer than 256 MiB"])
        // Its data would be in the next member.
        #expect(refusal(changed(at: 20, to: [0xFF, 0xFF, 0, 0])) == "its members overlap")
        #expect(
            try urls(changed(at: 42, to: [0xFF, 0xFF, 0xFF, 0x7F]))
                == ["session 1: its data is damaged"])
        #expect(refusal(changed(at: 0, to: [0x51])) == "its directory is broken")
        #expect(refusal(changed(at: 28, to: [0xFF, 0xFF])) == "its directory is broken")
        // It says that its numbers are in a ZIP64 field, which it does not have.
        #expect(
            try urls(changed(at: 42, to: [0xFF, 0xFF, 0xFF, 0xFF]))
                == ["session 1: its data is damaged"])
    }

    @Test func `a ZIP end record with a wrong count or offset of the directory is detected`() throws
    {
        func ended(count: [UInt8], offset: [UInt8]) -> [UInt8] {
            Array(archive.file.dropLast(12)) + count + [0, 0, 0, 0] + offset + [0, 0]
        }
        #expect(
            refusal(ended(count: [3, 0], offset: [0xFF, 0xFF, 0xFF, 0x7F]))
                == "its directory is broken")
        #expect(refusal(ended(count: [0, 0], offset: [0, 0, 0, 0]))?.contains("sessions") == true)
        // Counted again, the members end before the directory does.
        #expect(
            refusal(ended(count: [9, 0], offset: Array(archive.file.dropLast(2).suffix(4))))
                == "its directory is broken")
    }

    private func number(_ value: Int, _ byteCount: Int) -> [UInt8] {
        (0..<byteCount).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }

    /// The archive with a directory whose place is written in the end of ZIP64.
    private func long(at index: Int? = nil, count: Int = 3) -> [UInt8] {
        let file = archive.file
        let mark: [UInt8] = [0x50, 0x4B, 1, 2]
        let start = file.indices.first { file[$0...].starts(with: mark) } ?? 0
        let body = Array(file.dropLast(22))
        let record =
            [0x50, 0x4B, 6, 6] + number(44, 8) + number(45, 2) + number(45, 2) + number(0, 8)
            + number(count, 8) + number(count, 8) + number(body.count - start, 8)
            + number(start, 8)
        let locator =
            [0x50, 0x4B, 6, 7] + number(0, 4) + number(index ?? body.count, 8) + number(1, 4)
        let end = [UInt8](repeating: 0xFF, count: 12)
        return body + record + locator + [0x50, 0x4B, 5, 6, 0, 0, 0, 0] + end + [0, 0]
    }

    @Test func `a ZIP64 end record is read, and wrong values in it are detected`() throws {
        #expect(try urls(long()) == ["http://a.test/1"])
        #expect(refusal(long(at: 5)) == "its directory is broken")
        #expect(refusal(long(at: Int.max)) == "its directory is broken")
        #expect(refusal(long(at: -1)) == "its directory is broken")
        #expect(refusal(long(count: 1_000_001)) == "it has more than 1000000 members")
        #expect(refusal(long(count: -1)) == "it has more than 1000000 members")
    }

    @Test(
        arguments: [
            [], [0x50, 0x4B, 5, 6], Array("PK\u{3}\u{4}".utf8), [UInt8](repeating: 0, count: 100),
        ] as [[UInt8]])
    func `a file that is not a complete ZIP archive is rejected`(file: [UInt8]) throws {
        let found = (try? entries(ByteFile(file))) ?? []
        #expect(found.allSatisfy { (try? $0.get()) == nil })
        #expect(refusal(file) != nil || found.count == 1)
    }
}

/// Messages of WebSockets in archives of Fiddler.
struct FiddlerMessageTests: FiddlerReading {
    private func messages(_ socket: String?) throws -> ImportedExchange {
        var archive = ZIPArchive([
            (
                "raw/1_c.txt",
                "GET http://a.test/ws HTTP/1.1\r\nHost: a.test\r\nUpgrade: websocket\r\n"
                    + "Connection: Upgrade\r\n\r\n"
            ),
            (
                "raw/1_s.txt",
                "HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"
            ),
        ])
        if let socket { archive.add("raw/1_w.txt", Array(socket.utf8)) }
        return try #require(try entries(archive).first).get()
    }

    private static let frame = "Response-Length: 4\r\nID: 1\r\n\r\n\u{1}\u{2}hi\r\n"

    @Test func `a Fiddler WebSocket without its message file is tagged missing-messages`() throws {
        let imported = try messages(nil)
        #expect(imported.exchange.annotations.tags.contains("missing-messages"))
        #expect(imported.messages.isEmpty)
        #expect(try messages("").exchange.annotations.tags == ["missing-time"])
    }

    @Test(arguments: [
        "Response-Length: -1\r\n\r\n", "Response-Length: 99999\r\n\r\nab",
        "Response-Length: x\r\n\r\n",
        "no colon\r\n\r\n", "ID: 1\r\n\r\n", "Response-Length: 2",
        String(repeating: "A: b\r\n", count: 40), String(repeating: "x", count: 2_000) + "\r\n",
    ])
    func `the messages before the unreadable part of a Fiddler WebSocket are imported`(rest: String)
        throws
    {
        // A frame of its own that is not whole, in the place of the text frame's two first bytes.
        let whole = FiddlerMessageTests.frame
        #expect(
            try messages(whole + rest).messages.count == (try messages(whole).messages.count))
    }
}

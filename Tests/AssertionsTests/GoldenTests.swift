import Capture
import ProxydCaptureModel
import ProxydFilter
import ProxydHTTPModel
import ProxydInterchange
import ProxydRedactionTestSupport
import ProxydTestSupport
import Testing

@testable import ProxydAssertions

struct GoldenTests {
    private func golden(_ keys: String = "", when: String = "") throws -> GoldenExpectation {
        let text = "[[golden]]\nname = 'g'\nfile = 'g.jsonl'\nwhen = '\(when)'\n" + keys
        let assertions = try AssertionFile.read(text, file: "a.toml", now: 0)
        return try #require(assertions.goldens.first)
    }

    private func check(
        _ exchanges: [Exchange], _ golden: GoldenExpectation
    ) throws -> GoldenCheck {
        let store = try AssertionStore(exchanges)
        return try GoldenCheck(golden, AssertionRun(store.reader, scope: .everything))
    }

    private func contents(
        _ exchanges: [Exchange], _ golden: GoldenExpectation
    ) throws -> [UInt8] {
        try #require(try check(exchanges, golden).contents)
    }

    private func messages(
        _ exchanges: [Exchange], to bytes: [UInt8], _ golden: GoldenExpectation
    ) throws -> [String] {
        try check(exchanges, golden).compared(to: bytes).problems.map(\.message)
    }

    private func exchange(
        _ path: String, json: String, fields: [(String, String)] = []
    ) -> Exchange {
        var exchange = Exchange.sample(1, path, type: "application/json", body: json)
        let all = [("Content-Type", "application/json")] + fields
        exchange.response?.head = ResponseHead(
            status: 200, reason: "", fields: HeaderFields(all.map { (name: $0.0, value: $0.1) }))
        return exchange
    }

    private func add(_ name: String, _ value: String, to exchange: inout Exchange) {
        var fields = exchange.response?.head.fields ?? HeaderFields()
        fields.append(name: name, value: value)
        exchange.response?.head = ResponseHead(status: 200, reason: "", fields: fields)
    }

    @Test
    func `a golden file matches the exchanges it was written from, and rewriting changes nothing`()
        throws
    {
        let golden = try golden()
        let bytes = try contents(AssertionStore.shop, golden)
        #expect(try messages(AssertionStore.shop, to: bytes, golden) == [])
        #expect(try contents(AssertionStore.shop, golden) == bytes)
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        #expect(lines.count == 4)
        #expect(lines[0].hasPrefix(#"{"method":"GET","url":"http://api.test/","status":200,"#))
    }

    @Test func `golden files compare JSON bodies by value and other bodies by their bytes`() throws
    {
        let golden = try golden()
        let bytes = try contents([exchange("/a", json: #"{"a": 1.0, "b": [1, 2]}"#)], golden)
        let same = exchange("/a", json: #"{"b":[1,2],"a":1}"#)
        #expect(try messages([same], to: bytes, golden) == [])
        let other = exchange("/a", json: #"{"b":[2,1],"a":1}"#)
        #expect(try messages([other], to: bytes, golden) == ["GET http://api.test/a differs"])
        let text = try contents([.sample(1, "/t", body: "a\nb")], golden)
        #expect(try messages([.sample(1, "/t", body: "a\nb")], to: text, golden) == [])
        #expect(
            try messages([.sample(1, "/t", body: "a\nb ")], to: text, golden)
                == ["GET http://api.test/t differs"])
    }

    @Test func `a difference from a golden file is shown as a line diff`() throws {
        let golden = try golden()
        let bytes = try contents([exchange("/a", json: #"{"a": 1, "b": 2}"#)], golden)
        let result = try check([exchange("/a", json: #"{"a": 1, "b": 3}"#)], golden)
            .compared(to: bytes)
        let details = try #require(result.problems.first?.details)
        #expect(details.contains("-   \"b\": 2") && details.contains("+   \"b\": 3"))
        #expect(details.contains("    \"a\": 1,"))
        #expect(result.problems.first?.rows.map(\.idText) == ["1"])
    }

    @Test func `golden files ignore differences in volatile header fields and masked values`()
        throws
    {
        let golden = try golden(
            """
            mask = ["resheader.X-Node", "json:id", "json:items[*].at", "query:ts", \
            'body~[0-9a-f]{8}', "host", "port"]
            """)
        func run(_ number: Int) -> Exchange {
            var made = exchange(
                "/a?ts=\(number)&q=1",
                json: """
                    {"id": \(number), "items": [{"at": \(number), "n": 1}, {"at": "x\(number)"}], \
                    "text": "key 1234567\(number) of", "plain": 1}
                    """,
                fields: [
                    ("Date", "\(number)"), ("ETag", "\(number)"), ("X-Node", "\(number)"),
                    ("Set-Cookie", "sid=\(number); Path=/"), ("Content-Length", "\(number)"),
                ])
            let origin = Array("/a?ts=\(number)&q=1".utf8)
            made.request.url = RawURL(
                scheme: "http", host: "h\(number)", port: UInt16(8_000 + number), origin: origin)
            return made
        }
        let bytes = try contents([run(1)], golden)
        #expect(try messages([run(2)], to: bytes, golden) == [])
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains("http://host.test/a?ts=***&q=1"))
        #expect(text.contains(#""set-cookie","sid=***""#) && text.contains("key *** of"))
        var other = run(2)
        add("X-More", "1", to: &other)
        #expect(try messages([other], to: bytes, golden).count == 1)
    }

    @Test func `golden files contain no credentials from URLs, header fields, forms or JSON`()
        throws
    {
        var secret = exchange("/a?api_key=s3cret1", json: #"{"access_token": "s3cret2"}"#)
        secret.request.head = RequestHead(
            method: .post, target: Array("/a?api_key=s3cret1".utf8),
            fields: HeaderFields([
                (name: "Host", value: "api.test"), (name: "Authorization", value: "s3cret3"),
                (name: "Content-Type", value: "application/x-www-form-urlencoded"),
            ]))
        secret.request.body = Body(Array("password=s3cret4&a=1".utf8))
        add("Set-Cookie", "sid=s3cret5", to: &secret)
        let golden = try golden("request = true")
        let bytes = try contents([secret], golden)
        #expect(!String(decoding: bytes, as: UTF8.self).contains("s3cret"))
        #expect(try messages([secret], to: bytes, golden) == [])
    }

    @Test func `an exchange that is only in the golden file or only in the store is reported once`()
        throws
    {
        let golden = try golden()
        let bytes = try contents(AssertionStore.shop, golden)
        var less = AssertionStore.shop
        less.remove(at: 1)
        #expect(
            try messages(less, to: bytes, golden) == ["POST http://api.test/login is missing"])
        #expect(
            try messages(AssertionStore.shop + [.sample(5, "/new")], to: bytes, golden)
                == ["GET http://api.test/new is not in the file"])
    }

    @Test
    func `a golden file compared by key is sorted, and the order of exchanges is ignored`()
        throws
    {
        let golden = try golden("match = 'key'")
        let bytes = try contents(AssertionStore.shop, golden)
        #expect(try contents(AssertionStore.shop.reversed(), golden) == bytes)
        #expect(try messages(AssertionStore.shop.reversed(), to: bytes, golden) == [])
        var other = AssertionStore.shop
        other[1].request.body = Body(Array("user=bob".utf8))
        #expect(
            try messages(other, to: bytes, golden) == [
                "POST http://api.test/login is missing",
                "POST http://api.test/login is not in the file",
            ])
    }

    @Test func `golden files compare request bodies only if the option "request" is true`() throws {
        var other = AssertionStore.shop
        other[1].request.body = Body(Array("user=bob".utf8))
        let loose = try golden(), strict = try golden("request = true")
        #expect(
            try messages(other, to: contents(AssertionStore.shop, loose), loose) == [])
        #expect(
            try messages(other, to: contents(AssertionStore.shop, strict), strict)
                == ["POST http://api.test/login differs"])
    }

    @Test
    func `a JSON Lines export can be used as a golden file, and a golden file can be imported`()
        throws
    {
        let golden = try golden()
        let store = try AssertionStore(AssertionStore.shop)
        var writer = JSONLinesWriter()
        var bytes: [UInt8] = []
        try store.reader.forEachRow(matching: .everything, .oldest) { (row) throws(StoreError) in
            if let captured = try store.reader.captured(row) {
                bytes += writer.bytes(of: captured)
            }
            return true
        }
        #expect(try messages(AssertionStore.shop, to: bytes, golden) == [])
        var reader = InterchangeReader()
        var count = 0
        let take: (InterchangeReader.Entry) throws -> Void = {
            _ = try $0.get()
            count += 1
        }
        try reader.receive(contents(AssertionStore.shop, golden), take)
        try reader.finish(take)
        #expect(count == 4)
    }

    @Test func `golden files keep and compare binary bodies`() throws {
        let golden = try golden()
        func picture(_ last: UInt8) -> Exchange {
            var made = Exchange.sample(1, "/p", type: "image/png")
            made.response?.body = Body([0x89, 0x50, 0x4E, 0x47, 0xFF, 0, last])
            return made
        }
        let bytes = try contents([picture(1)], golden)
        #expect(try messages([picture(1)], to: bytes, golden) == [])
        #expect(try messages([picture(2)], to: bytes, golden).count == 1)
    }

    @Test func `a missing or malformed golden file, or a filter without a match, is reported`()
        throws
    {
        let golden = try golden()
        let found = try check(AssertionStore.shop, golden)
        #expect(
            try found.compared(to: nil).problems.map(\.message)
                == ["g.jsonl does not exist: make it with --update"])
        #expect(throws: GoldenText.Mistake.self) { try found.compared(to: Array("{]".utf8)) }
        #expect(throws: GoldenText.Mistake.self) {
            try found.compared(to: Array(#"{"method":"GET","request":{}}"#.utf8))
        }
        let none = try check(AssertionStore.shop, self.golden(when: "path=/none"))
        #expect(none.contents == nil)
        #expect(none.written().problems.map(\.message) == ["no exchange matches"])
    }
}

/// No golden file has a credential, wherever it was and however it was spelled.
struct CorpusGoldenTests {
    @Test func `a golden file contains none of the credentials of the test corpus`() throws {
        let text = "[[golden]]\nname = 'g'\nfile = 'g.jsonl'\nrequest = true\n"
        let assertions = try AssertionFile.read(text, file: "a.toml", now: 0)
        let golden = try #require(assertions.goldens.first)
        let exchanges = SecretCorpus.sample.filter { $0.carrier != .webSocket }.enumerated().map {
            $0.element.exchange(ExchangeID(rawValue: Int64($0.offset + 1)))
        }
        let store = try AssertionStore(exchanges)
        let check = try GoldenCheck(golden, AssertionRun(store.reader, scope: .everything))
        let bytes = try #require(check.contents)
        #expect(bytes.count > 100_000)
        #expect(SecretCorpus.found(in: String(decoding: bytes, as: UTF8.self)).isEmpty)
        // What was written is what is compared.
        #expect(try check.compared(to: bytes).problems.map(\.message) == [])
    }
}

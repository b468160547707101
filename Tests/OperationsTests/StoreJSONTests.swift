import Capture
import ProxydCaptureModel
import ProxydFilter
import ProxydHTTPModel
import ProxydOperations
import ProxydParameterCoding
import ProxydPresentation
import ProxydStoreTestSupport
import ProxydTestSupport
import Testing

/// Statistics and branches as clients receive them.
struct SummaryJSONTests {
    private let store = TemporaryStore()

    private func record(_ updates: (Recorder) -> [ExchangeUpdate]) throws -> StoreReader {
        let recorder = try store.recorder()
        for update in updates(recorder) { recorder.record(update) }
        recorder.stop()
        return try store.reader()
    }

    @Test
    func `a traffic summary counts exchanges by status, method and host, largest count first`()
        throws
    {
        let reader = try record { recorder in
            ["a.test", "b.test", "b.test"].map { host in
                Samples.complete(recorder.nextExchangeID(), host: host)
            }
        }
        let value = try SummaryJSON.value(reader.summary(), reader)
        #expect(value["count"] == .number("3"))
        #expect(value["errors"] == .number("0"))
        #expect(value["first_started_at"] == .string("2025-11-21T08:00:00.123Z"))
        #expect(try value["statuses"]?.json == #"[{"name":200,"count":3}]"#)
        #expect(try value["methods"]?.json == #"[{"name":"GET","count":3}]"#)
        let hosts = value["hosts"]?.elements.map { $0["name"] }
        #expect(hosts == [.string("b.test"), .string("a.test")])
        #expect(value["others"] == .number("0"))
        #expect(value["slowest"]?.elements.first?["id"] == .string("1"))
        #expect(value["response_bytes"]?["p50"] == .number("5"))
        #expect(value["duration_ms"]?["max"] == .number("2.500"))
    }

    @Test func `a traffic summary of an empty store has null for every missing value`() throws {
        let empty = try record { _ in [] }
        let value = try SummaryJSON.value(empty.summary(), empty)
        #expect(value["count"] == .number("0"))
        #expect(value["last_started_at"] == .null)
        #expect(
            try value["duration_ms"]?.json
                == #"{"count":0,"min":null,"p50":null,"p90":null,"p95":null,"p99":null,"#
                + #""max":null,"mean":null}"#)
    }

    @Test func `a traffic summary lists at most 100 hosts`() throws {
        let reader = try record { recorder in
            (0..<130).map { Samples.complete(recorder.nextExchangeID(), host: "h\($0).test") }
        }
        let value = try SummaryJSON.value(reader.summary(), reader)
        #expect(value["hosts"]?.elements.count == 100)
    }

    @Test
    func `the tree of servers and paths lists servers at the top and folders and paths below`()
        throws
    {
        let reader = try record { recorder in
            ["/api/a", "/api/b", "/x"].map { path in
                Samples.complete(recorder.nextExchangeID(), path)
            }
        }
        let servers = BranchesJSON.value(try reader.branches(of: .everything))
        let server = try #require(servers["branches"]?.elements.first)
        #expect(server["kind"] == .string("server"))
        #expect(server["name"] == .string("http://example.test:80"))
        #expect(server["count"] == .number("3"))
        #expect(servers["others"] == .null)

        let name = try #require(ServerText("http://example.test:80")).server
        let level = BranchesJSON.value(try reader.branches(of: TreePath(server: name)))
        let entries = level["branches"]?.elements ?? []
        #expect(entries.map { $0["kind"] } == [.string("folder"), .string("path")])
        #expect(entries.map { $0["name"] } == [.string("/api/"), .string("/x")])
        #expect(level["total"]?["count"] == .number("3"))
        #expect(level["total"]?["bytes"] == .number("15"))
    }

    @Test
    func `the tree of servers and paths counts exchanges outside its top 1,000 entries as others`()
        throws
    {
        var branches = Branches()
        for number in 0..<1_005 {
            var totals = BranchTotals()
            totals.count = number < 1_000 ? 2 : 1
            branches.add(totals, to: .path("/\(number)"))
        }
        let value = BranchesJSON.value(branches)
        #expect(value["branches"]?.elements.count == 1_000)
        #expect(value["others"]?["count"] == .number("5"))
        #expect(value["total"]?["count"] == .number("2005"))
    }
}

/// A level of the tree of servers and paths, and lines, as clients receive them.
struct BranchesJSONTests {
    private func totals(_ count: Int64, errors: Int64 = 0) -> BranchTotals {
        var totals = BranchTotals()
        for number in 0..<count {
            var row = ExchangeRow(
                id: ExchangeID(rawValue: number + 1), startedAtNs: number * 1_000_000_000,
                state: number < errors ? .failed : .complete)
            row.path = "/"
            row.requestBodyByteCount = 1
            row.requestKeptByteCount = 1
            row.responseBodyByteCount = 2
            row.responseKeptByteCount = 2
            row.status = number < errors ? nil : 200
            totals += BranchTotals(row)
        }
        return totals
    }

    @Test func `the tree of servers and paths lists its largest entries first, with kind and name`()
    {
        var branches = Branches()
        branches.add(totals(1), to: .folder("/a/"))
        branches.add(totals(3, errors: 2), to: .path("/b"))
        branches.add(totals(2), to: .path(nil))
        let value = BranchesJSON.value(branches)
        let entries = value["branches"]?.elements ?? []
        #expect(entries.map { $0["count"] } == [.number("3"), .number("2"), .number("1")])
        #expect(
            entries.map { $0["kind"] } == [.string("path"), .string("path"), .string("folder")])
        #expect(entries.map { $0["name"] } == [.string("/b"), .null, .string("/a/")])
        #expect(entries.first?["errors"] == .number("2"))
        #expect(value["others"] == .null)
        #expect(value["total"]?["count"] == .number("6"))
    }

    @Test
    func `in the tree of servers and paths, a server has its host and port as separate members`() {
        var branches = Branches()
        branches.add(
            totals(1), to: .server(ServerName(scheme: "https", host: "::1", port: 8_443)))
        branches.add(totals(2), to: .server(ServerName(scheme: nil, host: nil, port: nil)))
        let entries = BranchesJSON.value(branches)["branches"]?.elements ?? []
        #expect(entries.map { $0["name"] } == [.string("://:"), .string("https://::1:8443")])
        #expect(entries.map { $0["host"] } == [.null, .string("::1")])
        #expect(entries.map { $0["port"] } == [.null, .number("8443")])
    }

    @Test
    func `the tree of servers and paths lists its 1,000 largest entries and sums up the others`() {
        var branches = Branches()
        for number in 0..<1_005 { branches.add(totals(1), to: .path("/\(number)")) }
        branches.add(totals(5), to: .path("/0"))
        let value = BranchesJSON.value(branches)
        let entries = value["branches"]?.elements ?? []
        #expect(entries.count == 1_000)
        #expect(entries.first?["count"] == .number("6"))
        #expect(value["others"]?["count"] == .number("5"))
        #expect(value["total"]?["count"] == .number("1010"))
    }

    @Test
    func `a styled line of text becomes JSON spans with text, role, background color and mark`() {
        var line = StyledText("key", .key)
        line.append("\u{1B}[31m\u{202E}", Style(.string, on: .added, [.underline]))
        line.append("", .bad)
        let runs = SpansJSON.value(line).elements
        #expect(runs.map { $0["text"] } == [.string("key"), .string("\u{1B}[31m\u{202E}")])
        #expect(runs.map { $0["role"] } == [.string("key"), .string("string")])
        #expect(runs.map { $0["background"] } == [nil, .string("added")])
        #expect(runs.map { $0["marked"] } == [nil, .bool(true)])
        #expect(SpansJSON.value(StyledText()) == .array([]))
    }
}

/// The limits of notes and tags.
struct AnnotationLimitTests {
    private func isValid(_ members: [String: JSONValue]) -> Bool {
        (try? AnnotationEdit(members)) != nil
    }

    private func text(_ byteCount: Int) -> JSONValue {
        .string(String(repeating: "é", count: byteCount / 2))
    }

    @Test func `the length limit of notes and tags counts bytes, not characters`() {
        #expect(isValid(["note": text(16 << 10)]))
        #expect(!isValid(["note": text((16 << 10) + 2)]))
        #expect(isValid(["tags": .array([text(16 << 10)])]))
        #expect(!isValid(["tags": .array([.string("a"), text((16 << 10) + 2)])]))
    }

    @Test func `an exchange can have at most 100 tags`() {
        let tags = (0..<101).map { JSONValue.string("t\($0)") }
        #expect(isValid(["tags": .array(Array(tags.dropLast()))]))
        #expect(!isValid(["tags": .array(tags)]))
    }
}

/// Filters, their manual, and rules as clients receive them.
struct FilterJSONTests {
    @Test func `the explanation of a filter lists its conditions with their columns and meanings`()
        throws
    {
        let value = FilterJSON.value(try Filter.parse("host:a.test status:404"))
        #expect(value["valid"] == .bool(true))
        #expect(value["filter"] == .string("host:a.test status:404"))
        let conditions = value["conditions"]?.elements ?? []
        #expect(conditions.map { $0["field"] } == [.string("host"), .string("status")])
        #expect(conditions.map { $0["column"] } == [.number("1"), .number("13")])
        #expect(!conditions.contains { $0["meaning"] == .null })
    }

    @Test func `every example in the filter manual is a valid filter`() throws {
        let sections = FilterJSON.manual["sections"]?.elements ?? []
        let entries = sections.flatMap { $0["entries"]?.elements ?? [] }
        let examples = entries.flatMap { $0["examples"]?.elements ?? [] }
        #expect(sections.count > 3 && entries.count > 20 && examples.count > 20)
        for example in examples {
            guard case .string(let filter)? = example["filter"] else {
                Issue.record("no filter: \(example)")
                continue
            }
            #expect(throws: Never.self) { try Filter.parse(filter) }
        }
    }

    @Test func `rules in JSON have their usage counts, or null if the usage is unknown`() throws {
        let used = RuleFacts(
            name: "slow", filter: "host:a.test", actions: "request: { delay = 9 }", group: "g",
            isTemporary: true,
            usage: .init(hitCount: 3, changedCount: 2, failedCount: 1, lastHitNs: 1_000_000_000))
        let report = RulesReport(
            file: "/r.toml", isDaemonRunning: true,
            rules: [used, RuleFacts(name: "off", filter: "", isEnabled: false)],
            problems: ["/r.toml:3: no"], remarks: ["one rule was removed"])
        #expect(
            try RulesJSON.value(report).json
                == #"{"file":"/r.toml","daemon":true,"problems":["/r.toml:3: no"],"#
                + #""remarks":["one rule was removed"],"rules":[{"name":"slow","#
                + #""when":"host:a.test","does":"request: { delay = 9 }","enabled":true,"#
                + #""group":"g","temporary":true,"hits":3,"#
                + #""changed":2,"failed":1,"last_hit_at":"1970-01-01T00:00:01.000Z"},"#
                + #"{"name":"off","when":"","does":"","enabled":false,"group":null,"#
                + #""temporary":false,"#
                + #""hits":null,"changed":null,"failed":null,"last_hit_at":null}]}"#)
    }
}

/// Servers as `SCHEME://HOST:PORT`.
struct ServerTextTests {
    @Test func `a server written as text is parsed back unchanged`() throws {
        var random = SplitMix(seed: 3)
        for _ in 0..<500 {
            let server = ServerName(
                scheme: ["http", "https", nil].pick(&random),
                host: ["a.test", "::1", "a:b", "é", nil].pick(&random),
                port: [80, 0, 65_535, nil].pick(&random))
            let text = ServerText(server).text
            #expect(ServerText(text)?.server == server, "\(text)")
        }
    }

    @Test(arguments: ["", "http", "http://", "http://a.test", "http://a.test:x", "a.test:80"])
    func `server text that lacks a scheme, host or port is rejected`(text: String) {
        #expect(ServerText(text) == nil)
    }
}

extension JSONValue {
    /// The value as compact JSON.
    var json: String {
        get throws { String(decoding: try JSONWriter().write(self), as: UTF8.self) }
    }

    /// A member of an object.
    subscript(_ name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    /// The elements of an array.
    var elements: [JSONValue] {
        if case .array(let elements) = self { return elements }
        return []
    }
}

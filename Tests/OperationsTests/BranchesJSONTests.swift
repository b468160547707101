import ProxydCaptureModel
import ProxydHTTPModel
import ProxydParameterCoding
import ProxydPresentation
import ProxydOperations
import ProxydTestSupport
import Testing

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

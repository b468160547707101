import Foundation
@testable import proxyctl
import ProxydTestSupport
import Testing

@Suite struct ListCommandTests {
    static let fields = [
        "id", "method", "url", "scheme", "host", "port", "path", "query", "http_version", "status",
        "reason", "started_at", "duration_ms", "request_body_bytes", "response_body_bytes",
        "request_content_type", "response_content_type", "client_address", "process", "pid",
        "server_address", "tls_version", "error", "state", "replay_of", "tags", "note", "pinned",
        "protocol", "stream", "messages", "grpc_status", "graphql_operation", "graphql_type",
        "rules", "user", "received_status", "held_ms",
    ]

    @Test
    func `proxyctl list --json prints fixed fields in a fixed order and the newest exchange last`()
        throws
    {
        let store = try SampleStore()
        let run = store.run("list", "--json")
        #expect(run.code == 0)
        let rows = try store.objects(run)
        #expect(rows.map { $0["id"] as? Int } == [1, 2, 3, 4, 5, 6])
        for row in rows { #expect(Set(row.keys) == Set(Self.fields)) }
        for line in run.lines {
            let places = Self.fields.compactMap { line.range(of: "\"\($0)\":")?.lowerBound }
            #expect(places == places.sorted() && places.count == Self.fields.count)
        }
    }

    @Test func `proxyctl list --json prints the recorded values of an exchange`() throws {
        let store = try SampleStore()
        let row = try #require(try store.objects(store.run("list", "--json", "id=1")).first)
        #expect(row["method"] as? String == "GET")
        #expect(
            row["url"] as? String
                == "http://host.test/search?q=caf%C3%A9+noir&tags[]=a&tags[]=b&flag")
        #expect(row["port"] as? Int == 80)
        #expect(row["path"] as? String == "/search")
        #expect(row["query"] as? String == "q=caf%C3%A9+noir&tags[]=a&tags[]=b&flag")
        #expect(row["http_version"] as? String == "HTTP/1.1")
        #expect(row["status"] as? Int == 200)
        #expect(row["reason"] as? String == "Fine")
        #expect(row["started_at"] as? String == "2025-11-20T10:00:00.123Z")
        #expect(row["duration_ms"] as? Double == 35.123)
        #expect(row["process"] as? String == "curl")
        #expect(row["pid"] as? Int == 77)
        #expect(row["client_address"] as? String == "127.0.0.1:49152")
        #expect(row["server_address"] as? String == "192.0.2.1:80")
        #expect(row["response_content_type"] as? String == "application/json")
        #expect(row["tls_version"] is NSNull)
        #expect(row["replay_of"] is NSNull)
        #expect(row["tags"] as? [String] == [])
        #expect(row["pinned"] as? Bool == false)
    }

    @Test
    func `proxyctl list names a rule once, even if the rule changed both request and response`()
        throws
    {
        let store = try SampleStore([SampleExchange.search, SampleExchange.ruled])
        let rows = try store.objects(store.run("list", "--json"))
        #expect(rows.map { $0["rules"] as? [String] } == [[], ["staging", "slow"]])
        let columns = store.run("list", "--columns", "id,rules", "id=2")
        #expect(columns.output == "2\tstaging,slow\n")
    }

    @Test
    func `proxyctl list --json prints null for the fields of a request that could not be parsed`()
        throws
    {
        let store = try SampleStore()
        let row = try #require(try store.objects(store.run("list", "--json", "id=4")).first)
        for name in ["method", "url", "host", "port", "status", "http_version"] {
            #expect(row[name] is NSNull, "\(name)")
        }
        #expect(row["state"] as? String == "failed")
        #expect(row["error"] as? String == "client malformedRequest: a field name has a space")
    }

    @Test func `proxyctl list --limit keeps the newest matching exchanges, in ascending order`()
        throws
    {
        let store = try SampleStore()
        let run = store.run("list", "--json", "--limit", "2", "host:test")
        #expect(try store.objects(run).map { $0["id"] as? Int } == [5, 6])
    }

    @Test
    func `proxyctl list with several filter arguments lists exchanges that match all of them`()
        throws
    {
        let store = try SampleStore()
        let run = store.run("list", "--json", "host:test", "method=POST", "not", "login")
        #expect(try store.objects(run).map { $0["id"] as? Int } == [3])
    }

    @Test func `proxyctl list exits with 1 and a message if no exchange matches`() throws {
        let run = try SampleStore().run("list", "host:nowhere")
        #expect(run.code == 1)
        #expect(run.output.isEmpty)
        #expect(run.errors == "proxyctl: nothing matched\n")
    }

    @Test func `proxyctl list exits with 0 if the store is empty`() throws {
        let run = try SampleStore([]).run("list", "--json")
        #expect(run.code == 0)
        #expect(run.output.isEmpty)
    }

    @Test
    func `proxyctl list exits with 64 for an invalid filter and reports the mistake's column`()
        throws
    {
        let run = try SampleStore().run("list", "host:a and (")
        #expect(run.code == 64)
        #expect(run.errors.contains("column"))
    }

    @Test func `proxyctl list fails with an explanation if the data directory has no store`() throws
    {
        let scratch = try ScratchFolder()
        let run = CommandRun(["--data-dir", scratch.path, "list"])
        #expect(run.code == 1)
        #expect(run.errors.contains("is missing or empty"))
    }

    @Test func `on a terminal, proxyctl list prints a heading and no line wider than the terminal`()
        throws
    {
        let store = try SampleStore()
        for columns in [40, 80, 132] {
            let run = store.run("list", columns: columns, environment: ["NO_COLOR": "1"])
            #expect(run.code == 0)
            #expect(run.lines.count == 7)
            #expect(run.lines.allSatisfy { $0.count <= columns })
            #expect(run.lines[0].contains("METHOD"))
            #expect(!run.output.contains("\u{1B}"))
        }
    }

    @Test func `when piped, proxyctl list prints complete URLs without a heading or color`() throws
    {
        let run = try SampleStore().run("list", "id=1")
        #expect(run.lines.count == 1)
        #expect(run.output.contains("tags[]=a&tags[]=b&flag"))
        #expect(!run.output.contains("\u{1B}"))
    }

    @Test func `on a terminal, proxyctl list prints at most 50 exchanges unless --limit is given`()
        throws
    {
        let store = try SampleStore((0..<60).map { _ in SampleExchange.search })
        #expect(store.run("list", columns: 80).lines.count == 51)
        #expect(store.run("list", "--limit", "55", columns: 80).lines.count == 56)
        #expect(store.run("list").lines.count == 60)
    }

    @Test func `proxyctl list shows the tags, pin and note of an exchange`() throws {
        let run = try SampleStore().run("list", "id=2")
        #expect(run.output.contains("#auth"))
        #expect(run.output.contains("pinned"))
        #expect(run.output.contains("\"the login\""))
    }

    // MARK: Nothing of it

    @Test
    func `proxyctl list --limit 0 never prints an exchange, but exits with 1 if none matches`()
        throws
    {
        let store = try SampleStore()
        for more in [[], ["--json"], ["--columns", "id"]] {
            for columns in [nil, 80] {
                let arguments = ["--data-dir", store.directoryPath, "list", "--limit", "0"] + more
                let run = CommandRun(arguments, columns: columns)
                #expect(run.code == 0 && run.bytes.isEmpty && run.errors.isEmpty)
                #expect(CommandRun(arguments + ["id=1"], columns: columns).code == 0)
                let none = CommandRun(arguments + ["id=77"], columns: columns)
                #expect(none.code == 1 && none.bytes.isEmpty)
                #expect(none.errors == "proxyctl: nothing matched\n")
            }
        }
    }

    // MARK: Columns

    @Test
    func `proxyctl list --columns prints the chosen columns in the given order, separated by tabs`()
        throws
    {
        let store = try SampleStore()
        let run = store.run("list", "--columns", "id,status, tags,PINNED,query,duration_ms", "id<4")
        #expect(run.code == 0)
        #expect(
            run.lines == [
                "1\t200\t\tfalse\tq=caf%C3%A9+noir&tags[]=a&tags[]=b&flag\t35.123",
                "2\t302\tauth,slow\ttrue\t\t35.123", "3\t200\t\tfalse\t\t35.123",
            ])
    }

    @Test func `every field of list --json can be chosen with --columns and has the same value`()
        throws
    {
        let store = try SampleStore()
        let rows = try store.objects(store.run("list", "--json"))
        for field in Self.fields {
            let run = store.run("list", "--json", "--columns", field)
            let chosen = try store.objects(run)
            #expect(chosen.count == rows.count)
            for (one, row) in zip(chosen, rows) {
                #expect(Array(one.keys) == [field])
                #expect("\(one[field] ?? "")" == "\(row[field] ?? "")", "\(field)")
            }
            #expect(store.run("list", "--columns", field).code == 0)
        }
        let all = store.run("list", "--json", "--columns", Self.fields.joined(separator: ","))
        #expect(all.bytes == store.run("list", "--json").bytes)
    }

    @Test(arguments: [
        ("methd", "did you mean method?"), ("id,hots", "did you mean host?"),
        ("http-version", "did you mean http_version?"), ("id,,host", "a column name is missing"),
        ("", "a column name is missing"), ("id,id", "the column id is given twice"),
        ("zzzzzzzz", "the columns are id, method, url,"),
    ])
    func `proxyctl list --columns rejects unknown, empty and repeated names with a helpful message`(
        columns: String, hint: String
    ) throws {
        let run = try SampleStore().run("list", "--columns", columns)
        #expect(run.code == 64)
        #expect(run.bytes.isEmpty)
        #expect(run.errors.contains(hint), "\(run.errors)")
    }

    @Test func `proxyctl show --last shows the newest exchange, and list --last that many`() throws
    {
        let store = try SampleStore()
        #expect(store.run("show", "--last").output == store.run("show", "6").output)
        let rows = try store.objects(store.run("list", "--last", "2", "--json"))
        #expect(rows.map { $0["id"] as? Int } == [5, 6])
        let empty = try SampleStore([]).run("show", "--last")
        #expect(empty.code == 1)
        #expect(empty.errors == "proxyctl: nothing has been recorded yet\n")
    }

    @Test func `a filter with a mistake is printed with a mark below the mistake`() throws {
        let run = try SampleStore().run("list", "status = 500")
        #expect(run.code == 64)
        #expect(
            run.errors.split(separator: "\n").map(String.init) == [
                "proxyctl: filter, column 8: remove the space between field and operator: "
                    + "status=…",
                "  status = 500", "         ^",
            ])
        let near = try SampleStore().run("list", "stauts=500")
        #expect(near.errors.contains("unknown field \"stauts\": did you mean status?\n"))
    }

    @Test func `on a terminal, proxyctl list --columns prints an aligned table with a heading`()
        throws
    {
        let run = try SampleStore().run(
            "list", "--columns", "id,method,host", columns: 40, environment: ["NO_COLOR": "1"])
        #expect(run.lines.first == "id  method   host")
        #expect(run.lines.dropFirst().first == " 1  GET      host.test")
        #expect(run.lines.count == 7)
    }

    @Test func `control characters in a URL do not break the rows of list --columns`() throws {
        let store = try SampleStore()
        for columns in [nil, 200] {
            let run = store.run("list", "--columns", "url,id", "id=5", columns: columns)
            #expect(run.lines.count == (columns == nil ? 1 : 2))
            #expect(!run.bytes.contains(0x07) && !run.output.contains("\u{202E}"))
            #expect(!run.output.contains("\u{1B}]") && !run.output.contains("\u{9B}"))
        }
    }
}

import Capture
import ProxydCaptureModel
import ProxydHTTPModel
import ProxydParameterCoding
import ProxydOperations
import ProxydStoreTestSupport
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
    func `the tree of servers and paths lists servers, then folders and paths, largest first`()
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

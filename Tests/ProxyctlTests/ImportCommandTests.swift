@testable import Capture
import Foundation
import ProxydHTTPModel
@testable import proxyctl
import ProxydTestSupport
import Testing

@Suite struct ImportCommandTests {
    /// An export of the sample store as a file.
    private func exported(_ format: String) throws -> (SampleStore, String) {
        let store = try SampleStore([
            SampleExchange.search, SampleExchange.login, SampleExchange.upload,
            SampleExchange.malformed,
        ])
        let path = store.scratch.path + "/out.\(format)"
        #expect(store.run("export", "--format", format, "--output", path).code == 0)
        return (store, path)
    }

    private func lines(_ run: CommandRun) -> [String] {
        run.lines.map {
            $0.replacing(/"id":\d+/, with: "").replacing(/,"connection":"\d+"/, with: "")
        }
    }

    @Test(arguments: ["har", "jsonl"])
    func `proxyctl import creates a missing store, and an export of it has the same exchanges`(
        format: String
    ) throws {
        let (store, path) = try exported(format)
        let other = ["--data-dir", store.scratch.path + "/new/data"]
        let run = CommandRun(other + ["import", path])
        #expect(run.code == 0)
        #expect(run.errors.isEmpty)
        #expect(run.output == "imported 4 exchanges, 1 to 4\n")
        for format in ["har", "jsonl"] {
            let after = CommandRun(other + ["export", "--format", format])
            let isEqual = lines(after) == lines(store.run("export", "--format", format))
            #expect(isEqual, "\(format)")
        }
    }

    @Test(arguments: ["har", "jsonl"])
    func `the HTTP/2 settings of a connection survive export and import`(format: String) throws {
        var exchange = SampleExchange.search
        exchange.http2 = HTTP2Facts()
        exchange.http2?.clientStream = StreamID(rawValue: 1)
        exchange.client?.http2 = HTTP2ConnectionFacts(
            ourSettings: [.init(number: 3, value: 100)],
            peerSettings: [.init(number: 0xFFFF, value: .max)])
        let store = try SampleStore([exchange])
        let path = store.scratch.path + "/out.\(format)"
        #expect(store.run("export", "--format", format, "--output", path).code == 0)
        #expect(store.run("import", path).code == 0)
        let shown = try store.objects(store.run("show", "2", "--json")).first
        let http2 = try #require(shown?["http2"] as? [String: Any])
        let client = try #require(http2["client_connection"] as? [String: Any])
        let ours = try #require(client["our_settings"] as? [[Any]]).flatMap { $0 }
        #expect(ours.map { "\($0)" } == ["MAX_CONCURRENT_STREAMS", "100"])
        let theirs = try #require(client["peer_settings"] as? [[Any]]).flatMap { $0 }
        #expect(theirs.map { "\($0)" } == ["65535", "4294967295"])
    }

    @Test
    func `imported exchanges get new IDs, and replay links between them refer to the new IDs`()
        throws
    {
        var replay = SampleExchange.search
        replay.replayOf = ExchangeID(rawValue: 1)
        let store = try SampleStore([SampleExchange.search, replay])
        let path = store.scratch.path + "/out.jsonl"
        #expect(store.run("export", "--format", "jsonl", "--output", path).code == 0)
        #expect(store.run("import", path).output == "imported 2 exchanges, 3 to 4\n")
        let rows = try store.objects(store.run("list", "--json"))
        #expect(rows.map { $0["replay_of"] as? Int } == [nil, 1, nil, 3])
        // The other end is not in the file.
        let single = store.scratch.path + "/single.jsonl"
        #expect(store.run("export", "--format", "jsonl", "--output", single, "id=2").code == 0)
        #expect(
            store.run("import", single).output
                == "imported 1 exchange, 5; 1 replay link pointed outside the file\n")
    }

    @Test
    func `proxyctl import skips and reports invalid entries, and fails only if all are invalid`()
        throws
    {
        let (store, path) = try exported("jsonl")
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let mixed = try store.scratch.write("mixed.jsonl", "{\"id\":1}\n" + text)
        let run = store.run("import", mixed)
        #expect(run.code == 0)
        #expect(run.output == "imported 4 exchanges, 5 to 8; refused 1\n")
        #expect(run.errors == "proxyctl: \(mixed): line 1: it has no request\n")
        let bad = try store.scratch.write("bad.har", #"{"log":{"entries":[1,2]}}"#)
        let none = store.run("import", bad)
        #expect(none.code == 1)
        #expect(none.output == "imported 0 exchanges; refused 2\n")
        let empty = try store.scratch.write("empty.har", #"{"log":{"entries":[]}}"#)
        #expect(store.run("import", empty).code == 0)
        #expect(store.run("import", "/nowhere").code == 1)
        #expect(
            store.run("import", "/nowhere").errors
                == "proxyctl: /nowhere: No such file or directory\n")
        #expect(store.run("import").code == 64)
    }

    @Test func `proxyctl import reports the first 100 invalid entries and only counts the others`()
        throws
    {
        let store = try SampleStore()
        let file = try store.scratch.write(
            "bad.jsonl", "{\"id\":1}\n" + String(repeating: "{}\n", count: 250))
        let run = store.run("import", file)
        #expect(run.code == 1)
        let said = run.errors.split(separator: "\n")
        #expect(said.count == 101)
        #expect(said.last == "proxyctl: \(file): 151 more were rejected")
    }

    @Test func `exchanges imported without a daemon are added to the search index files`() throws {
        let scratch = try ScratchFolder()
        let entries = (1...5_000).map { number in
            """
            {"startedDateTime": "2026-11-20T10:00:00Z", "time": 1,
             "request": {"method": "GET", "url": "http://a.test/\(number)", "headers": []},
             "response": {"status": 200, "statusText": "OK", "headers": [
               {"name": "Content-Type", "value": "text/plain"}],
               "content": {"mimeType": "text/plain", "text": "needle \(number) of many"}}}
            """
        }
        let file = try scratch.write(
            "many.har", "{\"log\": {\"entries\": [\(entries.joined(separator: ","))]}}")
        let data = DataDirectory(path: scratch.path + "/data")
        let run = CommandRun(["--data-dir", data.path, "import", file])
        #expect(run.output == "imported 5000 exchanges, 1 to 5000\n")
        #expect(run.errors.isEmpty)
        let files = SearchFiles(besideStore: data.storePath)
        #expect(files.numbers == [1])
        let search = try #require(try SearchFile(1, path: files.path(1)))
        #expect(search.extent.firstID == 1)
        #expect(search.extent.throughID == 5_000 - SearchSchema.lagCount)
        let found = CommandRun(
            ["--data-dir", data.path, "list", "--columns", "id", "body:\"needle 1234 \""])
        #expect(found.output == "1234\n")
    }

    @Test
    func `the ID map of an import maps each old ID to its new ID, even if added out of order`() {
        var map = NumberMap()
        for old in Int64(1)...1_000 { map.add(old, old + 50) }
        map.add(500, 9_000)
        map.add(2_000, 1)
        #expect(map[1] == 51 && map[499] == 549 && map[500] == 9_000 && map[501] == 551)
        #expect(map[1_000] == 1_050 && map[1_001] == nil && map[2_000] == 1)
        #expect(map[0] == nil && map[.max] == nil && map[-5] == nil)
    }

    @Test func `the ID map of an import accepts the smallest and largest 64-bit integers`() {
        let ends = [Int64.min, -1 << 62, 0, 1 << 62, .max]
        for first in ends {
            for second in ends where second != first {
                var map = NumberMap()
                map.add(first, 1)
                map.add(second, 2)
                #expect(map[first] == 1 && map[second] == 2)
                #expect(ends.filter { map[$0] != nil }.count == 2)
            }
        }
    }
}

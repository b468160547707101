import Capture
import Foundation
import ProxydCaptureModel
import ProxydFilter
import ProxydHTTPModel
import ProxydStoreTestSupport
import Testing

/// Stores that are delivered to a central one, and read there.
@Suite struct FleetDeliveryTests {
    @Test func `without redaction, exports from the central and the local store are equal`() throws
    {
        let store = TemporaryStore()
        let recorder = try store.recorder()
        try InterchangeSamples.record(into: recorder)
        recorder.stop()
        let team = try Team()
        try team.deliver(store)
        let local = try exported(["--data-dir", store.directory.path])
        let central = try exported(["--store", team.location])
        #expect(local.count > 10)
        #expect(central.count == local.count)
        for (ours, theirs) in zip(local, central) { #expect(ours == theirs) }
    }

    /// The exchanges as JSON lines, with what a central store changes made equal: the numbers of
    /// exchanges and connections.
    private func exported(_ place: [String]) throws -> [[String: NSObject]] {
        let outcome = try Tool.run(
            Tool.built("proxyctl"), place + ["export", "--format", "jsonl"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        return try outcome.text.split(separator: "\n").map { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
            return try #require(plain(object) as? [String: NSObject])
        }
    }

    private func plain(_ value: Any) -> Any {
        guard var object = value as? [String: Any] else { return value }
        for (key, member) in object {
            switch key {
            case "id", "replay_of": object[key] = number(member)
            default: object[key] = plain(member)
            }
        }
        return object
    }

    /// `ci-1:7` and 7 are the same; connections have numbers like exchanges.
    private func number(_ value: Any) -> Any {
        if let text = value as? String { return Int64(text.split(separator: ":").last ?? "") ?? -1 }
        guard let number = value as? NSNumber else { return value }
        return number.int64Value & (1 << 34 - 1)
    }

    @Test func `filters match the same exchanges in the local and the central store`() throws {
        let store = TemporaryStore()
        let recorder = try store.recorder()
        try FilterCorpus.record(into: recorder)
        recorder.stop()
        let team = try Team()
        try team.deliver(store)
        let local = try store.reader()
        let central = try team.reader()
        let now = Samples.wallStart + 600_000_000_000
        var (count, tellingCount) = (0, 0)
        // Only a central store has names of stores.
        for text in FilterCorpus.filters where !text.contains("store") {
            for text in [text, "not (\(text))"] {
                guard let filter = try? Filter.parse(text, now: now, timeZone: .utc) else {
                    continue
                }
                let here = try local.rows(matching: filter, .oldest, limit: 1_000)
                let there = try central.rows(matching: filter, .oldest, limit: 1_000)
                // Sorted: a central store lists exchanges as they started.
                #expect(there.map(\.number).sorted() == here.map(\.number), "\(text)")
                count += 1
                if !here.isEmpty, here.count < FilterCorpus.subjects.count { tellingCount += 1 }
            }
        }
        #expect(count > 1_500)
        #expect(tellingCount > 700)
    }

    @Test
    func `exchanges of two machines are listed by start time, each with its machine's name`()
        throws
    {
        let team = try Team()
        for shipper in ["ci-1", "ci-2"] {
            let store = TemporaryStore()
            let recorder = try store.recorder()
            for number in 1...3 as ClosedRange<Int64> {
                // In turns: one of the second machine starts after each of the first.
                let start =
                    Samples.wallStart + number * 1_000_000 + (shipper == "ci-2" ? 500_000 : 0)
                recorder.record(
                    Samples.complete(
                        recorder.nextExchangeID(), "/\(number)", wallStart: start))
            }
            recorder.stop()
            try team.deliver(store, as: shipper)
        }
        let names = ["ci-1:1", "ci-2:1", "ci-1:2", "ci-2:2", "ci-1:3", "ci-2:3"]
        #expect(try team.proxyctl(["list", "--columns", "id"]).text.lines == names)
        #expect(try team.proxyctl(["list", "id=ci-2:3", "--columns", "id"]).text == "ci-2:3\n")
        #expect(
            try team.proxyctl(["list", "store=ci-1", "--columns", "path"]).text.lines
                == ["/1", "/2", "/3"])
        let export = try team.proxyctl(["export", "--format", "jsonl"]).text.lines
        #expect(export.count == 6)
        #expect(export[1].hasPrefix(#"{"id":"ci-2:1","#))
        #expect(try team.proxyctl(["show", "ci-2:2", "--body"]).text == "hello")
        #expect(try team.proxyctl(["show", "ci-3:2"]).status == 1)
    }

    @Test func `by default, no credentials are delivered to a central store`() throws {
        let store = TemporaryStore()
        let recorder = try store.recorder()
        try InterchangeSamples.record(into: recorder)
        recorder.stop()
        let team = try Team()
        try team.deliver(store, "")
        let dump = try team.cluster.dump(team.name)
        let hex = { (text: String) in text.utf8.map { String(format: "%02x", $0) }.joined() }
        #expect(dump.contains("example.test"))
        for secret in ["s3cr3t", "hunter2"] {
            #expect(!dump.contains(secret))
            #expect(!dump.contains(hex(secret)))
        }
    }
}

extension String {
    fileprivate var lines: [String] { split(separator: "\n").map(String.init) }
}

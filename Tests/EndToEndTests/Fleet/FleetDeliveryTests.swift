import Capture
import Foundation
import ProxydCaptureModel
import ProxydFilter
import ProxydHTTPModel
import ProxydTestSupport
import Testing

/// Stores that are delivered to a central one, and read there.
@Suite struct FleetDeliveryTests {
    @Test func `what is delivered without redaction is exported as it is locally`() throws {
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

    @Test func `filters find the same in both stores`() throws {
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
        for text in FilterCorpus.filters {
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

    @Test func `nothing secret leaves the machine by default`() throws {
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

import Capture
import Foundation
import ProxydCaptureModel
@testable import proxyctl
import ProxydStoreTestSupport
import Testing

@Suite struct StatusCommandTests {
    @Test func `proxyctl status reports a running daemon`() throws {
        let store = try SampleStore()
        let daemon = try RunningDaemon(store)
        try withExtendedLifetime(daemon) {
            let run = store.run("status")
            #expect(run.code == 0)
            for text in ["9.9, pid 42", "127.0.0.1:8080, [::1]:8080", "stopped: the disk is full"] {
                #expect(run.output.contains(text))
            }
            let object = try #require(try store.objects(store.run("status", "--json")).first)
            #expect(object["running"] as? Bool == true)
            #expect(object["pid"] as? Int == 42)
            #expect(object["recording"] as? Bool == false)
            #expect(object["stored_exchanges"] as? Int == 6)
            #expect(object["started_at"] as? String == "2025-11-20T10:00:00.000Z")
            #expect(object["resident_bytes"] is NSNull)
        }
    }

    /// The samples of metrics by their names, which are announced with a kind and a help text.
    private func samples(_ text: String) throws -> [String: Double] {
        var announced: Set<Substring> = []
        var samples: [String: Double] = [:]
        for line in text.split(separator: "\n") {
            if let head = line.wholeMatch(of: /# TYPE (proxyd_[a-z_]+) (gauge|counter)/) {
                #expect(announced.insert(head.1).inserted)
                #expect(head.1.hasSuffix("_total") == (head.2 == "counter"))
            } else if line.wholeMatch(of: /# HELP proxyd_[a-z_]+ [A-Z].*\./) == nil {
                let sample = try #require(
                    line.wholeMatch(of: /(proxyd_[a-z_]+)(?:{version="9\.9"})? (-?[0-9.e+]+)/))
                #expect(announced.contains(sample.1))
                samples[String(sample.1)] = Double(sample.2)
            }
        }
        #expect(samples.count == announced.count)
        return samples
    }

    @Test func `proxyctl status --prometheus prints numeric metrics of the daemon and its store`()
        throws
    {
        let store = try SampleStore()
        let daemon = try RunningDaemon(store)
        try withExtendedLifetime(daemon) {
            let run = store.run("status", "--prometheus")
            #expect(run.code == 0)
            let samples = try samples(run.output)
            #expect(samples["proxyd_up"] == 1)
            #expect(samples["proxyd_info"] == 1)
            #expect(samples["proxyd_recording"] == 0)
            #expect(samples["proxyd_rules_valid"] == 1)
            #expect(samples["proxyd_stored_exchanges"] == 6)
            #expect(samples["proxyd_start_time_seconds"] == 1_763_632_800)
            #expect(samples["proxyd_cpu_seconds_total"] == 1.5)
            #expect(samples["proxyd_open_fds"] == 12)
            #expect(samples["proxyd_resident_memory_bytes"] == nil)
        }
        #expect(store.run("status", "--json", "--prometheus").code == 64)
    }

    @Test func `without a daemon, status --prometheus prints only the metrics of the store`() throws
    {
        let run = try SampleStore().run("status", "--prometheus")
        #expect(run.code == 1)
        let samples = try samples(run.output)
        #expect(samples["proxyd_up"] == 0)
        #expect(samples["proxyd_stored_exchanges"] == 6)
        #expect(samples["proxyd_info"] == nil)
        #expect(samples["proxyd_recording"] == nil)
    }

    @Test func `without a daemon, proxyctl status reports the store and exits with 1`() throws {
        let store = try SampleStore()
        let run = store.run("status")
        #expect(run.code == 1)
        #expect(run.output.contains("6 exchanges"))
        #expect(run.errors.contains("is not running"))
        let object = try #require(try store.objects(store.run("status", "--json")).first)
        #expect(object["running"] as? Bool == false)
        #expect(object["stored_exchanges"] as? Int == 6)
        #expect(object["pid"] is NSNull)
    }

    @Test
    func `proxyctl status counts exchanges that await delivery and those lost before delivery`()
        throws
    {
        let store = try SampleStore()
        #expect(!store.run("status").output.contains("delivered"))
        var object = try #require(try store.objects(store.run("status", "--json")).first)
        #expect(object["delivered_through"] is NSNull)
        #expect(object["undelivered_lost"] is NSNull)
        let recorder = try Recorder(directory: store.directory)
        try recorder.noteDelivery(DeliveryProgress(through: 4, mark: 1, changesThrough: 0))
        recorder.stop()
        let output = store.run("status").output
        #expect(output.contains("delivered    through 4, 2 exchanges waiting"))
        #expect(!output.contains("undelivered"))
        try UncheckedDatabase.edit(
            store.directory.storePath, "UPDATE store_state SET undelivered_lost = 3")
        #expect(
            store.run("status").output.contains("undelivered  3 exchanges removed by retention"))
        object = try #require(try store.objects(store.run("status", "--json")).first)
        #expect(object["delivered_through"] as? Int == 4)
        #expect(object["undelivered_exchanges"] as? Int == 2)
        #expect(object["undelivered_lost"] as? Int == 3)
    }

    @Test func `proxyctl check exits with 0 for an intact store`() throws {
        let run = try SampleStore().run("check")
        #expect(run.code == 0)
        #expect(run.output.hasPrefix("ok"))
    }

    @Test func `proxyctl check exits with 1 for a damaged store`() throws {
        let store = try SampleStore((0..<200).map { _ in SampleExchange.login })
        let file = try #require(
            FileHandle(forUpdatingAtPath: store.directoryPath + "/captures.sqlite"))
        let size = try file.seekToEnd()
        for offset in stride(from: UInt64(4_096), to: size, by: 4_096) {
            try file.seek(toOffset: offset + 8)
            try file.write(contentsOf: Data(repeating: 0xA5, count: 64))
        }
        try file.close()
        let run = store.run("check")
        #expect(run.code == 1)
        #expect(!run.errors.isEmpty)
    }
}

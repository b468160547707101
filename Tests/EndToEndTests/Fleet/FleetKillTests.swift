import Capture
import Foundation
import ProxydCaptureModel
import ProxydFilter
import ProxydHTTPModel
import ProxydStoreTestSupport
import ProxydTestSupport
import Testing

/// Shipper, backend and server are killed at any moment; nothing is lost and nothing comes twice.
@Suite struct FleetKillTests {
    private static let perRound: Int64 = 1_500

    /// What is killed in a round.
    private enum Victim: CaseIterable {
        case shipper, backend, server
    }

    @Test
    func `no exchange is lost or duplicated if proxyship or PostgreSQL is killed at any moment`()
        throws
    {
        let rounds = FaultScale.count(quick: 3, full: 50)
        let store = TemporaryStore()
        let scratch = try ScratchFolder()
        // Of its own: it is killed.
        let cluster = try PostgresCluster()
        let made = try Tool.run(
            Tool.built("proxyship"), ["init", "--team", "fleet", "--store", cluster.database])
        #expect(made.status == 0, "\(made.errors)")
        let file = try scratch.write(
            "ship.toml",
            """
            data_dir = "\(store.directory.path)"
            [shipping]
            store = "\(cluster.location("fleet"))"
            name = "ci-1"
            redact = false
            """)
        var numbers = SplitMix(seed: UInt64(rounds))
        for round in 0..<rounds {
            try record(into: store)
            let shipper = try RunningShipper(file, scratch)
            // Anywhere from before the first batch to after the last one.
            usleep(UInt32.random(in: 0...600_000, using: &numbers))
            switch Victim.allCases[round % 3] {
            case .shipper: shipper.process.end()
            case .backend: try cluster.killBackends(of: "proxyship")
            case .server:
                cluster.kill()
                try cluster.start()
            }
            try cluster.waitUntilItAnswers()
            shipper.process.end()
        }
        let last = try Tool.run(Tool.built("proxyship"), ["--config", file, "--once"])
        #expect(last.status == 0, "\(last.errors)")
        try compare(store, cluster)
    }

    private func record(into store: TemporaryStore) throws {
        let recorder = try store.recorder()
        for _ in 0..<FleetKillTests.perRound {
            let id = recorder.nextExchangeID()
            recorder.record(
                Samples.complete(
                    id, "/\(id)?q=\(id)", responseBody: Array("body of \(id)".utf8)))
        }
        try recorder.flush()
        recorder.stop()
    }

    /// Every row, its body and its parameter, once each.
    private func compare(_ store: TemporaryStore, _ cluster: PostgresCluster) throws {
        let found = try cluster.sql(
            """
            SET search_path = fleet;
            SELECT e.id & 17179869183, e.path, encode(c.response_head, 'hex'),
              convert_from(c.response_body, 'UTF8'), p.value
            FROM exchange e JOIN content c ON c.exchange_id = e.id
              LEFT JOIN parameter p ON p.exchange_id = e.id ORDER BY e.id
            """)
        let reader = try store.reader()
        var expected: [String] = []
        try reader.forEachRow(matching: .everything, .oldest) { (row) throws(StoreError) in
            let head = try reader.headBytes(of: row.id, .response) ?? []
            let hex = head.map { String(format: "%02x", $0) }.joined()
            expected.append("\(row.id)|/\(row.id)|\(hex)|body of \(row.id)|\(row.id)")
            return true
        }
        #expect(found.count == expected.count)
        #expect(found == expected)
    }
}

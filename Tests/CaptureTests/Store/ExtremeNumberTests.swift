import Foundation
import ProxydCaptureModel
import ProxydHTTPModel
import ProxydStoreTestSupport
import ProxydTestSupport
import Testing

@testable import Capture

/// A store in which a number is one of the ends of all numbers: whatever is asked of it, the
/// answer may be an error and nothing else ends.
@Suite struct `The ends of all numbers` {
    /// A store with something in every table, copied for each test.
    private static let sample: Result<TemporaryStore, any Error> = Result { try makeSample() }

    private func copy() throws -> TemporaryStore {
        let store = TemporaryStore()
        let sample = try Self.sample.get()
        try FileManager.default.copyItem(
            atPath: sample.directory.path, toPath: store.directory.path)
        return store
    }

    @Test func `the tests with extreme numbers cover the tables of the store`() throws {
        var (tables, empty): ([String], [String]) = ([], [])
        let store = try copy()
        try UncheckedDatabase.edit(store.directory.storePath) { database in
            tables = try database.columns(
                """
                SELECT name FROM sqlite_schema
                WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
                """
            ).map { $0[0] }
            empty = try tables.filter {
                try database.columns("SELECT 1 FROM \($0) LIMIT 1").isEmpty
            }
        }
        #expect(Set(NumberColumn.ofStores.map(\.table)) == Set(tables))
        // A number in a table without rows would be set nowhere.
        #expect(empty == [])
        #expect(NumberColumn.ofStores.count > 40)
    }

    @Test(
        .timeLimit(.minutes(10)),
        arguments: NumberColumn.inTurn(NumberColumn.ofStores, NumberColumn.extremes))
    func `a store with an extreme number in any column can still be read and written`(
        column: NumberColumn, number: Int64
    ) throws {
        let store = try copy()
        try column.set(number, in: store.directory.storePath)
        try use(store)
    }

    @Test(.timeLimit(.minutes(10)), arguments: NumberColumn.extremes)
    func `a store whose only exchange has the lowest or highest possible ID can still be used`(
        number: Int64
    )
        throws
    {
        let store = try copy()
        try UncheckedDatabase.edit(
            store.directory.storePath,
            """
            DELETE FROM exchange WHERE id > 1;
            DELETE FROM content WHERE exchange_id > 1;
            UPDATE exchange SET id = \(number);
            UPDATE content SET exchange_id = \(number);
            """)
        let rows = try store.reader().rows(.newest, limit: 9)
        #expect(rows.map(\.id.rawValue) == [number])
        #expect(try store.reader().summary().all.count == 1)
        try use(store)
    }

    @Test(.timeLimit(.minutes(10)))
    func `exchanges with the lowest and highest possible numbers are listed and summarized`() throws
    {
        let store = try copy()
        let before = try store.reader().rows(.newest, limit: 9).map(\.id.rawValue)
        try UncheckedDatabase.edit(
            store.directory.storePath,
            """
            UPDATE exchange SET id = \(Int64.min) WHERE id = 1;
            UPDATE exchange SET id = \(Int64.max) WHERE id = 2;
            """)
        let reader = try store.reader()
        let rows = try reader.rows(.newest, limit: 9).map(\.id.rawValue)
        #expect(rows == [.max] + before.filter { $0 > 2 } + [.min])
        #expect(try reader.rows(.oldest, limit: 9).map(\.id.rawValue).last == .max)
        #expect(try reader.rows(.after(ExchangeID(rawValue: .max)), limit: 9).isEmpty)
        #expect(try reader.rows(.before(ExchangeID(rawValue: .min)), limit: 9).isEmpty)
        var shares: [Double] = []
        let summary = try reader.summary { shares.append($1 ?? 0) }
        #expect(summary.all.count == before.count)
        #expect(shares.allSatisfy { (0...1).contains($0) })
        try use(store)
    }

    private func use(_ store: TemporaryStore) throws {
        WholeReading(store).run()
        try record(store)
        #expect(try store.reader().rows(.newest, limit: 9).count == 1)
    }

    /// Opens the store as the daemon does, with all limits of retention, records, and clears.
    private func record(_ store: TemporaryStore) throws {
        var configuration = RecorderConfiguration.forTests
        configuration.retention = RetentionPolicy(
            ageMaxSeconds: .max, exchangeCountMax: 3, storeByteCountMax: 1)
        let recorder = try store.recorder(configuration)
        defer { recorder.stop() }
        let id = recorder.recordSample(
            "/new?a=b", responseBody: [UInt8](repeating: 3, count: 20_000))
        attempt { try recorder.flush() }
        attempt { try recorder.annotate(AnnotationChange(id: id, note: "n", addedTags: ["t"])) }
        attempt {
            try recorder.noteDelivery(DeliveryProgress(through: 2, mark: 2, changesThrough: 1))
        }
        attempt { _ = try recorder.clear(.exchanges([id, ExchangeID(rawValue: .max)])) }
        attempt { _ = try recorder.clear(.unpinned) }
        attempt { _ = try recorder.clear(.all) }
        let next = recorder.recordSample("/again")
        attempt { try recorder.flush() }
        #expect(next.rawValue > 0)
        #expect(recorder.status.state == .recording)
    }

    private func attempt(_ body: () throws -> Void) { do { try body() } catch {} }

    // MARK: The sample

    private static func makeSample() throws -> TemporaryStore {
        let store = TemporaryStore()
        let recorder = try store.recorder()
        let (client, server) = (recorder.nextConnectionID(), recorder.nextConnectionID())
        recorder.record(
            ConnectionRecord(
                id: client, side: .client, openedAt: Samples.wallStart, peerAddress: "127.0.0.1:9",
                localAddress: "127.0.0.1:8",
                process: ConnectionRecord.ClientProcess(pid: 7, name: "curl")))
        recorder.record(
            ConnectionRecord(
                id: server, side: .server, openedAt: Samples.wallStart, peerAddress: "[::1]:443",
                localAddress: "[::1]:5",
                security: ConnectionRecord.Security(
                    version: "TLSv1.3", cipher: "c", alpn: nil, serverName: "s",
                    peerCertificates: [[1, 2], [3]], isResumed: false)))
        var first = Samples.complete(recorder.nextExchangeID(), "/first?a=1&b=2")
        (first.clientConnection, first.serverConnection) = (client, server)
        recorder.record(first)
        let long = recorder.recordSample(
            "/long", method: "POST",
            fields: [("Content-Type", "application/x-www-form-urlencoded")],
            requestBody: Array("c=d".utf8),
            responseBody: [UInt8](repeating: 0x61, count: 20_000))
        var repeated = Samples.complete(recorder.nextExchangeID(), "/again", host: "other.test")
        repeated.replayOf = long
        recorder.record(repeated)
        recorder.record(Samples.begun(recorder.nextExchangeID(), "/open"))
        var socket = Samples.socket(
            recorder.nextExchangeID(),
            [
                Samples.message(0, "hello"),
                Samples.message(1, .close, .toClient, bytes: [3, 0xE8]),
            ])
        socket.grpcStatus = 5
        recorder.record(socket)
        try recorder.noteDelivery(DeliveryProgress(through: 1, mark: 1, changesThrough: 0))
        try recorder.annotate(
            AnnotationChange(id: long, note: "n", addedTags: ["t", "u"], isPinned: true))
        recorder.stop()
        try UncheckedDatabase.edit(
            store.directory.storePath,
            """
            INSERT INTO proto_file VALUES (1, 'a.proto', 'given', 5, x'00');
            INSERT INTO message VALUES (2 << 28 | 7, 1, 17, 0, 5, 9, 9, 3, NULL, NULL);
            INSERT INTO frame_piece VALUES (1 << 28, x'00');
            INSERT INTO response_fault VALUES (1, x'00', 'r', 'p');
            INSERT INTO applied_rule VALUES (1, 0, 'r', 'request', 'changed', NULL, 1, 2);
            INSERT OR IGNORE INTO open_exchange VALUES (4);
            INSERT OR IGNORE INTO change VALUES (1, 1, 1, 1);
            """)
        return store
    }
}

extension NumberColumn {
    /// All of a store.
    static let ofStores: [NumberColumn] = {
        let store = TemporaryStore()
        guard let recorder = try? store.recorder() else { return [] }
        recorder.stop()
        return (try? all(in: store.directory.storePath)) ?? []
    }()
}

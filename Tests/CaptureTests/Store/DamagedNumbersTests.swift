@testable import Capture
import GRDB
import HTTPModel
import Testing

/// Numbers that only a damaged file has: nothing overflows, and nobody else's body is touched.
@Suite struct `Numbers no store can have` {
    let store = TemporaryStore()

    private func damage(_ sql: String) throws {
        try DatabaseQueue(path: store.directory.storePath).inDatabase { try $0.execute(sql: sql) }
    }

    private func recordHello() throws -> ExchangeID {
        let recorder = try store.recorder()
        let id = recorder.recordSample()
        recorder.stop()
        return id
    }

    @Test(arguments: [Int64.min, -1, Int64.max])
    func `in its state do not stop it from recording and removing`(number: Int64) throws {
        let first = try recordHello()
        try damage(
            """
            UPDATE store_state SET exchange_count = \(number), last_exchange_id = \(number),
              last_connection_id = \(number), barrier_count = \(number)
            """)
        let recorder = try store.recorder()
        let second = recorder.recordSample()
        #expect(second.rawValue == first.rawValue + 1)
        #expect(try recorder.clear(.exchanges([first])) == 1)
        recorder.stop()
        #expect(try store.reader().rows(.oldest, limit: 9).map(\.id) == [second])
    }

    /// The key of its pieces would be that of the exchange with the number's last bits.
    @Test(arguments: [Int64(1) << 36, 1 << 35, -1 << 36])
    func `of an exchange leave others their bodies`(shift: Int64) throws {
        let recorder = try store.recorder()
        let whole = recorder.recordSample(responseBody: [UInt8](repeating: 1, count: 100_000))
        let odd = recorder.recordSample()
        recorder.stop()
        let damaged = ExchangeID(rawValue: shift | whole.rawValue)
        for (table, column) in [("exchange", "id"), ("content", "exchange_id")] {
            try damage(
                """
                UPDATE \(table) SET \(column) = \(damaged.rawValue)
                WHERE \(column) = \(odd.rawValue)
                """)
        }
        let again = try store.recorder()
        let next = again.recordSample(responseBody: [UInt8](repeating: 2, count: 100_000))
        #expect(next.rawValue == odd.rawValue + 1)
        try again.flush()
        #expect(try store.reader().exchange(damaged)?.response?.body.kept == Array("hello".utf8))
        #expect(try again.clear(.exchanges([damaged])) == 1)
        again.stop()
        let reader = try store.reader()
        for (id, octet) in [(whole, UInt8(1)), (next, 2)] {
            let kept = try reader.exchange(id)?.response?.body.kept
            #expect(kept == [UInt8](repeating: octet, count: 100_000))
        }
    }
}

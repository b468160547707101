import ProxydFilter
import ProxydHTTPModel
import Synchronization
import Testing

@testable import proxyd

/// Recording that is switched off leaves whole exchanges out, never halves.
struct RecordingSwitchTests {
    private final class Sink: ExchangeSink {
        private let seen = Mutex<[Int64]>([])
        var ids: [Int64] { seen.withLock { $0 } }
        func nextExchangeID() -> ExchangeID { ExchangeID(rawValue: 1) }
        func nextConnectionID() -> ConnectionID { ConnectionID(rawValue: 1) }
        func record(_ update: consuming ExchangeUpdate) {
            let id = update.id.rawValue
            seen.withLock { $0.append(id) }
        }
        func record(_ connection: ConnectionRecord) {}
        let isCongested = false
        func whenDrained(_ resume: @escaping @Sendable () -> Void) { resume() }
    }

    private func begun(_ id: Int64, _ path: String, client: Int64) throws -> ExchangeUpdate {
        var update = update(id, .complete, isFirst: true)
        let url = RawURL(scheme: "http", host: "a.test", port: 80, origin: Array(path.utf8))
        update.url = url
        update.requestHead = RequestHead(
            method: .get, target: url.origin, fields: HeaderFields([("Host", "a.test")]))
        update.clientConnection = ConnectionID(rawValue: client)
        return update
    }

    private func client(_ id: Int64, _ address: String) -> ConnectionRecord {
        ConnectionRecord(
            id: ConnectionID(rawValue: id), side: .client, openedAt: 0, peerAddress: address,
            localAddress: "127.0.0.1:8080")
    }

    @Test func `exchanges that the recording filter does not match are counted but not recorded`()
        throws
    {
        let sink = Sink()
        let recording = RecordingSwitch(to: sink)
        recording.choose(try Filter.parse("not path:/health client:10."))
        recording.record(client(1, "10.0.0.1:5000"))
        recording.record(client(2, "127.0.0.1:5000"))
        recording.record(try begun(1, "/health", client: 1))
        recording.record(try begun(2, "/pay", client: 1))
        recording.record(try begun(3, "/pay", client: 2))
        // What could not be read is to be seen.
        recording.record(update(4, .failed, isFirst: true))
        #expect(sink.ids == [2, 4])
        #expect(recording.unrecordedCount == 2 && recording.finishedCount == 4)
        recording.choose(nil)
        recording.record(try begun(5, "/health", client: 1))
        #expect(sink.ids == [2, 4, 5])
    }

    private func update(_ id: Int64, _ state: ExchangeState, isFirst: Bool) -> ExchangeUpdate {
        ExchangeUpdate(
            id: ExchangeID(rawValue: id), state: state,
            timeline: Timeline(wallStart: 0, start: 0), isFirst: isFirst)
    }

    @Test
    func `when recording is turned off, open exchanges are recorded to the end, new ones are not`()
    {
        let sink = Sink()
        let recording = RecordingSwitch(to: sink)
        recording.record(update(1, .active, isFirst: true))
        recording.turn(on: false)
        recording.record(update(2, .active, isFirst: true))
        recording.record(update(3, .complete, isFirst: true))
        recording.record(update(1, .complete, isFirst: false))
        recording.turn(on: true)
        recording.record(update(2, .active, isFirst: false))
        recording.record(update(4, .complete, isFirst: true))
        recording.record(update(2, .complete, isFirst: false))
        recording.record(update(2, .complete, isFirst: true))
        #expect(sink.ids == [1, 1, 4, 2])
        #expect(recording.finishedCount == 5)
        #expect(recording.isOn)
    }
}

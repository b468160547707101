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

    private func update(_ id: Int64, _ state: ExchangeState, isFirst: Bool) -> ExchangeUpdate {
        ExchangeUpdate(
            id: ExchangeID(rawValue: id), state: state,
            timeline: Timeline(wallStart: 0, start: 0), isFirst: isFirst)
    }

    @Test func `what began before goes on to its end, what begins meanwhile stays out`() {
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

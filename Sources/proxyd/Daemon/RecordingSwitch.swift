internal import ProxydHTTPModel
internal import Synchronization

/// Lets a person stop and resume recording: stands between the engine and the recorder.
///
/// An exchange is recorded whole or not at all: what began while recording was off stays out, what
/// began before goes on to its end.
final class RecordingSwitch: ExchangeSink {
    private let sink: any ExchangeSink
    private let finished = Atomic<Int64>(0)
    private let isFiltering = Atomic<Bool>(false)
    private let state = Mutex(State())

    private struct State {
        var isOn = true
        /// Exchanges under way that are left out.
        var skipped: Set<ExchangeID> = []
    }

    init(to sink: any ExchangeSink) { self.sink = sink }

    /// Whether exchanges that begin now are recorded.
    var isOn: Bool { state.withLock { $0.isOn } }

    /// Exchanges that have ended since the start.
    var finishedCount: Int64 { finished.load(ordering: .relaxed) }

    func turn(on isOn: Bool) {
        state.withLock { state in
            state.isOn = isOn
            updateFiltering(state)
        }
    }

    func nextExchangeID() -> ExchangeID { sink.nextExchangeID() }

    func nextConnectionID() -> ConnectionID { sink.nextConnectionID() }

    func record(_ update: consuming ExchangeUpdate) {
        if update.state != .active { finished.add(1, ordering: .relaxed) }
        // Nearly always nothing is filtered, and the way to the recorder takes no lock here.
        if isFiltering.load(ordering: .relaxed), skips(update) { return }
        sink.record(update)
    }

    func record(_ connection: ConnectionRecord) { sink.record(connection) }

    var isCongested: Bool { sink.isCongested }

    func whenDrained(_ resume: @escaping @Sendable () -> Void) { sink.whenDrained(resume) }

    private func skips(_ update: borrowing ExchangeUpdate) -> Bool {
        let id = update.id
        let begins = update.isFirst
        let ends = update.state != .active
        return state.withLock { state in
            if begins, !state.isOn {
                if !ends { state.skipped.insert(id) }
                return true
            }
            guard state.skipped.contains(id) else { return false }
            if ends { state.skipped.remove(id) }
            updateFiltering(state)
            return true
        }
    }

    private func updateFiltering(_ state: borrowing State) {
        isFiltering.store(!state.isOn || !state.skipped.isEmpty, ordering: .relaxed)
    }
}

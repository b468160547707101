internal import FuzzSupport
internal import ProxydHTTPModel
internal import Synchronization

/// Adds up what is recorded, and checks that each exchange begins once and ends once.
final class CheckedSink: ExchangeSink {
    struct Row: Sendable {
        var state = ExchangeState.active
        var request: RequestHead?
        var origin: [UInt8]?
        var hasResponse = false
        var requestKept = 0
        var responseKept = 0
        /// Whether it carries another protocol now: a tunnel, or a WebSocket.
        var isSwitched = false
    }

    private struct State {
        var rows: [Int64: Row] = [:]
        var lastExchange: Int64 = 0
        var lastConnection: Int64 = 0
        var isCongested = false
        var waiting: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())
    private let keptByteCountMax: Int

    init(keptByteCountMax: Int) { self.keptByteCountMax = keptByteCountMax }

    func nextExchangeID() -> ExchangeID {
        state.withLock { state in
            state.lastExchange += 1
            return ExchangeID(rawValue: state.lastExchange)
        }
    }

    func nextConnectionID() -> ConnectionID {
        state.withLock { state in
            state.lastConnection += 1
            return ConnectionID(rawValue: state.lastConnection)
        }
    }

    func record(_ update: consuming ExchangeUpdate) {
        let update = update
        let keptMax = keptByteCountMax
        state.withLock { state in
            let known = state.rows[update.id.rawValue]
            require((known == nil) == update.isFirst, "an exchange begins twice, or never")
            var row = known ?? Row()
            require(row.state == .active, "an exchange goes on after its end")
            row.state = update.state
            row.request = update.requestHead ?? row.request
            row.origin = update.url?.origin ?? row.origin
            row.isSwitched =
                row.isSwitched || update.state == .tunnel || update.upgradedTo != nil
            row.hasResponse = row.hasResponse || update.responseHead != nil
            row.requestKept += update.requestBody.appended.count
            row.responseKept += update.responseBody.appended.count
            require(
                row.requestKept <= keptMax && row.responseKept <= keptMax,
                "more of a body is recorded than may be")
            require(
                (update.state == .failed) == (update.failure != nil) || update.state == .tunnel,
                "an exchange fails without a reason, or has one and does not")
            state.rows[update.id.rawValue] = row
        }
    }

    func record(_ connection: ConnectionRecord) {}

    var isCongested: Bool { state.withLock { $0.isCongested } }

    func whenDrained(_ resume: @escaping @Sendable () -> Void) {
        let isFree = state.withLock { state in
            if state.isCongested { state.waiting.append(resume) }
            return !state.isCongested
        }
        if isFree { resume() }
    }

    func setCongested(_ isCongested: Bool) {
        let waiting = state.withLock { state in
            state.isCongested = isCongested
            defer { if !isCongested { state.waiting = [] } }
            return isCongested ? [] : state.waiting
        }
        for resume in waiting { resume() }
    }

    /// The exchanges in the order in which they began.
    var rows: [Row] {
        state.withLock { state in state.rows.sorted { $0.key < $1.key }.map(\.value) }
    }
}

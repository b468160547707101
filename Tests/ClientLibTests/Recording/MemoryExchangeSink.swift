import ProxydHTTPModel
import Synchronization

/// A sink that keeps everything, and is congested while a test says so.
final class MemoryExchangeSink: ExchangeSink {
    private struct State {
        var lastExchange: Int64 = 100
        var lastConnection: Int64 = 500
        var updates: [ExchangeUpdate] = []
        var connections: [ConnectionRecord] = []
        var isCongested = false
        var resumptions: [@Sendable () -> Void] = []
        var watcher: (@Sendable (ExchangeUpdate) -> Void)?
    }

    private let state = Mutex(State())

    var updates: [ExchangeUpdate] { state.withLock { $0.updates } }
    var connections: [ConnectionRecord] { state.withLock { $0.connections } }

    func congest() { state.withLock { $0.isCongested = true } }

    /// How many wait for room.
    var waitingCount: Int { state.withLock { $0.resumptions.count } }

    func drain() {
        let resumptions = state.withLock { state in
            state.isCongested = false
            defer { state.resumptions = [] }
            return state.resumptions
        }
        for resume in resumptions { resume() }
    }

    /// Calls with each update from now on.
    func watch(_ watcher: @escaping @Sendable (ExchangeUpdate) -> Void) {
        state.withLock { $0.watcher = watcher }
    }

    /// Every exchange put together of its updates, in the order they began.
    var exchanges: [RecordedExchange] {
        var order: [ExchangeID] = []
        var known: [ExchangeID: RecordedExchange] = [:]
        for update in updates {
            if known[update.id] == nil { order.append(update.id) }
            known[update.id, default: RecordedExchange()].take(update)
        }
        return order.compactMap { known[$0] }
    }

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
        let watcher = state.withLock { state in
            state.updates.append(update)
            return state.watcher
        }
        watcher?(update)
    }

    func record(_ connection: ConnectionRecord) {
        state.withLock { $0.connections.append(connection) }
    }

    var isCongested: Bool { state.withLock { $0.isCongested } }

    func whenDrained(_ resume: @escaping @Sendable () -> Void) {
        let isDrained = state.withLock { state in
            guard state.isCongested else { return true }
            state.resumptions.append(resume)
            return false
        }
        if isDrained { resume() }
    }
}

/// An exchange as a store would put it together.
struct RecordedExchange {
    var updateCount = 0
    var last: ExchangeUpdate?
    var url: RawURL?
    var head: RequestHead?
    var requestBody: [UInt8] = []
    var responseHead: ResponseHead?
    var responseBody: [UInt8] = []
    var responseTrailers: HeaderFields?
    var informational: [ResponseHead] = []
    var replayOf: ExchangeID?
    var http2: HTTP2Facts?

    mutating func take(_ update: ExchangeUpdate) {
        updateCount += 1
        last = update
        url = update.url ?? url
        head = update.requestHead ?? head
        requestBody += update.requestBody.appended
        responseHead = update.responseHead ?? responseHead
        responseBody += update.responseBody.appended
        responseTrailers = update.responseTrailers ?? responseTrailers
        informational += update.informational
        replayOf = update.replayOf ?? replayOf
        http2 = update.http2 ?? http2
    }
}

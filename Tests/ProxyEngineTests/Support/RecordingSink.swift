import ProxydHTTPModel
import Synchronization

/// Keeps what was recorded, merged by exchange, for a test to look at.
final class RecordingSink: ExchangeSink {
    /// One exchange as its updates add up.
    struct Recorded: Sendable {
        var state: ExchangeState
        var url: String?
        var method: String?
        var requestHead: [UInt8]?
        var requestHeadSent: [UInt8]?
        var keepsForeignHost = false
        var malformed: [UInt8]?
        var requestBody: [UInt8] = []
        var requestBodySent: [UInt8] = []
        var requestByteCount: Int64 = 0
        var status: Int?
        var responseHead: [UInt8]?
        var responseHeadSent: [UInt8]?
        var responseBodySent: [UInt8] = []
        var appliedRules: [AppliedRule] = []
        var tags: [String] = []
        var responseBody: [UInt8] = []
        var responseByteCount: Int64 = 0
        var sentResponseByteCount: Int64?
        var isResponseComplete = false
        var isResponseWithheld = false
        var heldNs: Int64 = 0
        var informational: [Int] = []
        var requestTrailers: HeaderFields?
        var responseTrailers: HeaderFields?
        var failure: ExchangeFailure?
        var fault: ResponseFault?
        var upgradedTo: String?
        var user: String?
        var messages: [MessageRecord] = []
        var http2: HTTP2Facts?
        var frames: [UInt8] = []
        var grpcStatus: Int64?
        var timeline: Timeline
        var updateCount = 0
    }

    private struct State {
        var exchanges: [Int64: Recorded] = [:]
        var order: [Int64] = []
        var connections: [Int64: ConnectionRecord] = [:]
        var lastExchange: Int64 = 0
        var lastConnection: Int64 = 0
        var isCongested = false
        var waiting: [@Sendable () -> Void] = []
    }
    private let state = Mutex(State())

    func nextExchangeID() -> ExchangeID {
        state.withLock {
            $0.lastExchange += 1
            return ExchangeID(rawValue: $0.lastExchange)
        }
    }

    func nextConnectionID() -> ConnectionID {
        state.withLock {
            $0.lastConnection += 1
            return ConnectionID(rawValue: $0.lastConnection)
        }
    }

    func record(_ update: consuming ExchangeUpdate) {
        let update = update
        state.withLock { state in
            let id = update.id.rawValue
            if state.exchanges[id] == nil { state.order.append(id) }
            var row = state.exchanges[id] ?? Recorded(state: .active, timeline: update.timeline)
            row.merge(update)
            state.exchanges[id] = row
        }
    }

    func record(_ connection: ConnectionRecord) {
        state.withLock { $0.connections[connection.id.rawValue] = connection }
    }

    var isCongested: Bool { state.withLock { $0.isCongested } }

    func whenDrained(_ resume: @escaping @Sendable () -> Void) {
        state.withLock { $0.waiting.append(resume) }
    }

    func setCongested(_ isCongested: Bool) {
        let waiting = state.withLock { state in
            state.isCongested = isCongested
            defer { if !isCongested { state.waiting = [] } }
            return isCongested ? [] : state.waiting
        }
        for resume in waiting { resume() }
    }

    /// The exchanges in the order in which they were first heard of.
    var rows: [Recorded] {
        state.withLock { state in state.order.compactMap { state.exchanges[$0] } }
    }

    var connections: [ConnectionRecord] {
        state.withLock { $0.connections.values.sorted { $0.id < $1.id } }
    }
}

extension RecordingSink.Recorded {
    fileprivate mutating func merge(_ update: ExchangeUpdate) {
        state = update.state
        url = update.url?.description ?? url
        method = update.requestHead?.method.rawValue ?? method
        requestHead = update.requestHead?.bytes ?? requestHead
        requestHeadSent = update.requestHeadSent ?? requestHeadSent
        keepsForeignHost = update.keepsForeignHost
        malformed = update.malformedHead ?? malformed
        requestBody += update.requestBody.appended
        requestByteCount = update.requestBody.byteCount
        status = update.responseHead?.status ?? status
        responseHead = update.responseHead?.bytes ?? responseHead
        responseBody += update.responseBody.appended
        responseByteCount = update.responseBody.byteCount
        sentResponseByteCount = update.sentResponseByteCount ?? sentResponseByteCount
        isResponseComplete = update.responseBody.isComplete
        heldNs = update.heldNs
        informational += update.informational.map(\.status)
        requestTrailers = update.requestTrailers ?? requestTrailers
        responseTrailers = update.responseTrailers ?? responseTrailers
        for event in update.events {
            switch event {
            case .sentRequestBody(let bytes): requestBodySent += bytes
            case .sentResponseHead(let bytes): responseHeadSent = bytes
            case .sentResponseBody(let bytes): responseBodySent += bytes
            case .responseWithheld: isResponseWithheld = true
            case .appliedRule(let rule): appliedRules.append(rule)
            case .tagged(let tag): tags.append(tag)
            }
        }
        failure = update.failure ?? failure
        if let news = update.responseFault {
            if fault == nil { fault = news } else { fault?.merge(news) }
        }
        upgradedTo = update.upgradedTo ?? upgradedTo
        user = update.user ?? user
        messages += update.messages
        if let news = update.http2 {
            if http2 == nil { http2 = news } else { http2?.merge(news) }
        }
        frames += update.frames
        grpcStatus = update.grpcStatus ?? grpcStatus
        timeline = update.timeline
        updateCount += 1
    }
}

internal import ProxydHTTPModel

/// An exchange that has been stored while its messages are still being read.
struct OpenImport {
    private let id: ExchangeID
    private let timeline: Timeline
    private var failure: ExchangeFailure?
    /// The state in which it ends.
    private(set) var state: ExchangeState
    /// Messages that have not been stored yet.
    var messages: [MessageRecord] = []
    /// The size of these messages in bytes.
    var byteCount = 0

    /// Creates the open exchange from an update that would have ended it.
    init(_ update: ExchangeUpdate) {
        id = update.id
        timeline = update.timeline
        failure = update.failure
        state = update.state
    }

    /// Notes that the file ended before its messages did.
    mutating func abandon() {
        state = .failed
        failure = ExchangeFailure(
            origin: .proxy, kind: .closedEarly, message: "the file ended within its messages")
    }

    /// Creates an update with the messages that have not been stored yet.
    func update(_ state: ExchangeState) -> ExchangeUpdate {
        var update = ExchangeUpdate(id: id, state: state, timeline: timeline, isFirst: false)
        update.messages = messages
        if state != .active { update.failure = failure }
        return update
    }
}

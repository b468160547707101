internal import ProxydHTTPModel

/// An exchange that has been stored while its messages are still being read.
struct OpenImport {
    private let id: ExchangeID
    private let timeline: Timeline
    private let failure: ExchangeFailure?
    /// The state in which it ends.
    let state: ExchangeState
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

    /// Creates an update with the messages that have not been stored yet.
    func update(_ state: ExchangeState) -> ExchangeUpdate {
        var update = ExchangeUpdate(id: id, state: state, timeline: timeline, isFirst: false)
        update.messages = messages
        if state != .active { update.failure = failure }
        return update
    }
}

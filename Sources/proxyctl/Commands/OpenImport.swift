internal import ProxydHTTPModel

/// An exchange that was stored while its messages are still being read.
struct OpenImport {
    private let id: ExchangeID
    private let timeline: Timeline
    private let failure: ExchangeFailure?
    /// How it ends.
    let state: ExchangeState
    /// Messages that wait to be stored.
    var messages: [MessageRecord] = []
    /// Bytes that these take.
    var byteCount = 0

    /// The exchange of an update that would have ended it.
    init(_ update: ExchangeUpdate) {
        id = update.id
        timeline = update.timeline
        failure = update.failure
        state = update.state
    }

    /// News of it with the messages that wait.
    func update(_ state: ExchangeState) -> ExchangeUpdate {
        var update = ExchangeUpdate(id: id, state: state, timeline: timeline, isFirst: false)
        update.messages = messages
        if state != .active { update.failure = failure }
        return update
    }
}

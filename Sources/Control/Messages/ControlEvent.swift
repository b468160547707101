/// News for subscribers. An event is a doorbell: rows are read from the store, which already holds
/// them when the event comes.
public enum ControlEvent: Sendable, Hashable, Codable {
    /// Rows of these exchanges were inserted or changed.
    case changed(ids: [Int64])
    /// Exchanges were deleted.
    case removed(exchangeCount: Int)
    /// A message is held.
    case held(hold: HoldMessage)
    /// Someone has claimed a hold; nil: it is free again.
    case holdClaimed(hold: Int64, by: String?)
    /// A hold has ended; how, as the record has it.
    case holdGone(hold: Int64, reason: String)
    /// Recording was stopped or resumed; the text says why it stopped, nil while it runs.
    case recording(stoppedBecause: String?)
}

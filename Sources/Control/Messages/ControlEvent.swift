/// An event for subscribers. It only notifies: the rows are in the store before the event is sent,
/// and are read from there.
public enum ControlEvent: Sendable, Hashable, Codable {
    /// Rows of these exchanges were inserted or changed.
    case changed(ids: [Int64])
    /// Exchanges were deleted.
    case removed(exchangeCount: Int)
    /// A message is now held.
    case held(hold: HoldMessage)
    /// A client has claimed a hold; `by` is nil if the hold is free again.
    case holdClaimed(hold: Int64, by: String?)
    /// A hold has ended, for the reason that the record states.
    case holdGone(hold: Int64, reason: String)
    /// Recording was stopped or resumed; the text says why it stopped, or is nil while it runs.
    case recording(stoppedBecause: String?)
}

/// The result of looking for a capture that answers a request.
public enum MockAnswer: Sendable, Hashable {
    /// The capture with this number answers.
    case capture(Int64)
    /// No capture answers, for this reason; the rule's `unmatched` decides what the client gets.
    case unmatched(MockMiss)
}

/// The result of answering a request with captures.
public enum MockServed: Sendable {
    /// The client gets this answer; with the text that is recorded.
    case answer(RuleAnswer, note: String)
    /// No capture answers, and the client's connection is closed; with the reason.
    case closed(String)
    /// No capture answers, and the request is forwarded; with the reason.
    case forwarded(String)
}

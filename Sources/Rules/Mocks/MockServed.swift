/// What came of captures that were to answer a request.
public enum MockServed: Sendable {
    /// The client gets this; what the record says of it.
    case answer(RuleAnswer, note: String)
    /// None answers, and the client's connection is closed; why.
    case closed(String)
    /// None answers, and the request goes on; why.
    case forwarded(String)
}

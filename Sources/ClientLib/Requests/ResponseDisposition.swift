/// What to do after the head of a response has been checked.
public enum ResponseDisposition: Sendable, Hashable {
    /// Continue with the body.
    case allow
    /// Cancel the request.
    case cancel
}

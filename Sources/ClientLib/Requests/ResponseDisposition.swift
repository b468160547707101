/// What to do after a response's head was looked at.
public enum ResponseDisposition: Sendable, Hashable {
    /// Go on with the body.
    case allow
    /// Give the request up.
    case cancel
}

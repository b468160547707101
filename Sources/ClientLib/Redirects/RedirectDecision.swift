/// What becomes of a response.
public enum RedirectDecision: Sendable, Hashable {
    /// It is no redirect, or none to follow: the response is the request's.
    case deliver
    /// Another request is to be sent.
    case follow(RedirectRequest)
    /// It is a redirect that must not be followed.
    case refuse(RedirectRefusal)
}

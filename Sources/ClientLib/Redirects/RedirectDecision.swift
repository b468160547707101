/// What to do with a response.
public enum RedirectDecision: Sendable, Hashable {
    /// The response is not a redirect, or not one to follow: it is the final response.
    case deliver
    /// Send another request.
    case follow(RedirectRequest)
    /// The redirect must not be followed.
    case refuse(RedirectRefusal)
}

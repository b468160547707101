/// Why a redirect is not followed; except for the last two, the server is at fault.
public enum RedirectRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// The Location is not a URL reference, or there are several different ones.
    case badLocation
    /// The Location contains a user name or password, which HTTP forbids (RFC 9110 §4.2.4).
    case userInfo
    /// The Location's scheme is neither http nor https.
    case unsupportedScheme
    /// The same request was sent before, and nothing has changed since.
    case loop
    /// The redirect leads from https to http, which the policy does not allow.
    case leavesTLS
    /// There were more redirects than the policy allows.
    case tooMany

    /// One readable line.
    public var description: String { message }
}

/// Why a redirect is not followed; but for the last two it is the server's fault.
public enum RedirectRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// The Location is no reference to a URL, or there are several that differ.
    case badLocation
    /// The Location has a name or password in it, which HTTP forbids (RFC 9110 §4.2.4).
    case userInfo
    /// The Location is neither http nor https.
    case unsupportedScheme
    /// The same request was sent before, and nothing changed since.
    case loop
    /// From https to http, which the policy does not allow.
    case leavesTLS
    /// More redirects than the policy allows.
    case tooMany

    /// One line for a person.
    public var description: String { message }
}

/// Why a host name could not be resolved.
public enum HostLookupError: Error, Sendable, Hashable {
    /// The name does not exist, or has no addresses.
    case notFound
    /// The name servers could not be reached or did not know; a later attempt may succeed.
    case temporary
    /// No answer arrived before the deadline.
    case timedOut
    /// Too many lookups are already waiting.
    case overloaded
    /// Another error, with the system's message.
    case other(String)
}

extension HostLookupError: CustomStringConvertible {
    /// A one-line message for the user, without the name.
    public var description: String {
        switch self {
        case .notFound: "the host name does not exist"
        case .temporary: "the name servers gave no answer"
        case .timedOut: "the name look-up took too long"
        case .overloaded: "too many name look-ups are waiting"
        case .other(let words): words
        }
    }
}

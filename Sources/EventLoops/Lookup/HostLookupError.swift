/// Why a host name has no address.
public enum HostLookupError: Error, Sendable, Hashable {
    /// The name does not exist, or has no addresses.
    case notFound
    /// The name servers could not be asked or did not know; another time it may work.
    case temporary
    /// No answer before the deadline.
    case timedOut
    /// More look-ups wait than we allow.
    case overloaded
    /// Another error; the system's words.
    case other(String)
}

extension HostLookupError: CustomStringConvertible {
    /// One line for a person, without the name.
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

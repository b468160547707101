/// What a request gets from captures.
public enum MockAnswer: Sendable, Hashable {
    /// The capture of a number.
    case capture(Int64)
    /// Nothing: it is answered with what is wrong, and never goes on to a server because of that.
    case unmatched(MockMiss)
}

public import ProxydHTTPModel

/// A part of a file, after parsing.
public enum ImportedPart: Sendable {
    /// A new exchange.
    case exchange(ImportedExchange)
    /// The next messages of the last exchange.
    case messages([MessageRecord])
    /// Something that is not an exchange and is only counted, such as `TCP flow`.
    case leftOut(String)
}

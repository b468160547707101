public import ProxydHTTPModel

/// A part of a file that was read.
public enum ImportedPart: Sendable {
    /// An exchange.
    case exchange(ImportedExchange)
    /// The next messages of the exchange that was read last.
    case messages([MessageRecord])
}

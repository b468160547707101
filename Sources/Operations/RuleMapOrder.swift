public import ProxydHTTPModel

/// An order to serve a response from a file from now on.
public struct RuleMapOrder: Sendable, Hashable {
    /// The exchange with the response.
    public var id: ExchangeID
    /// Where its body is saved; a relative path is resolved in the program's directory.
    public var file: String
    /// The name of the rule; if empty, it is derived from the path.
    public var rule: String
    /// Whether the rule is only in the daemon's memory.
    public var isTemporary: Bool

    /// Creates an order.
    public init(id: ExchangeID, file: String, rule: String, isTemporary: Bool = false) {
        self.id = id
        self.file = file
        self.rule = rule
        self.isTemporary = isTemporary
    }
}

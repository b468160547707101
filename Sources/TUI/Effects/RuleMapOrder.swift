public import ProxydHTTPModel

/// Which response is to be served from a file from now on.
public struct RuleMapOrder: Sendable, Hashable {
    /// The exchange that has it.
    public var id: ExchangeID
    /// Where its body is saved; a relative name is in the directory of the program.
    public var file: String
    /// What the rule is called; empty for a name from the path.
    public var rule: String
    /// Whether the rule is in the daemon's memory only.
    public var isTemporary: Bool

    /// An order.
    public init(id: ExchangeID, file: String, rule: String, isTemporary: Bool = false) {
        self.id = id
        self.file = file
        self.rule = rule
        self.isTemporary = isTemporary
    }
}

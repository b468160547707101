/// The users of each listener. Listeners without users are open to all clients that may reach them.
public struct ListenerUsers: Sendable {
    /// The users of listeners that are known by name, or nil for those without.
    private var tables: [String: UserTable?] = [:]
    /// The users of all other listeners, or nil.
    private var others: UserTable?

    /// Creates the users of listeners that are not known by name.
    public init(others: UserTable? = nil) { self.others = others }

    /// Whether no listener has users.
    var isEmpty: Bool { others == nil && tables.values.allSatisfy { $0 == nil } }

    /// Sets the users of a listener; nil if it has none.
    public mutating func set(_ table: UserTable?, of listener: String) {
        tables.updateValue(table, forKey: listener)
    }

    /// The users of a listener, or nil if it has none.
    public subscript(listener: String) -> UserTable? {
        if let known = tables[listener] { known } else { others }
    }

    /// Takes other users. A listener that is not among them by name is still served until the next
    /// restart, and must not become open.
    mutating func replace(with next: ListenerUsers) {
        tables.merge(next.tables) { _, new in new }
        others = next.others
    }
}

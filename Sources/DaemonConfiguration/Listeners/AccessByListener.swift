/// Which clients may use which of the listeners there are.
///
/// Listeners come and go with a restart only, but what a reload says of those that stay counts.
package struct AccessByListener: Sendable {
    private var accessOfName: [String: ClientAccess] = [:]
    private var others = ClientAccess()

    /// What a configuration says.
    package init(_ listen: Configuration.Listen) { update(listen) }

    /// Puts another configuration in force. A listener that it does not have keeps its guests.
    package mutating func update(_ listen: Configuration.Listen) {
        others = listen.access
        for listener in listen.listeners { accessOfName[listener.name] = listener.access }
    }

    /// The clients of a listener; of one that no configuration named, those of `[listen]`.
    package subscript(name: String) -> ClientAccess { accessOfName[name] ?? others }
}

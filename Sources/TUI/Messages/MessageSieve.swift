internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydHTTPModel

/// Which messages of an exchange are listed.
struct MessageSieve: Sendable {
    private var filter = MessageFilter.everything
    /// Whether pings and pongs are omitted.
    var hidesPings = false

    /// Creates a sieve from a filter, which optionally omits pings and pongs.
    init(_ filter: MessageFilter = .everything, hidesPings: Bool) {
        self.filter = filter
        self.hidesPings = hidesPings
    }

    /// The same sieve with another filter.
    func filtered(by filter: MessageFilter) -> MessageSieve {
        MessageSieve(filter, hidesPings: hidesPings)
    }

    /// The filter as it was typed.
    var text: String { filter.text }
    var isFiltered: Bool { !filter.matchesEverything }
    /// Whether no message is omitted.
    var passesAll: Bool { !isFiltered && !hidesPings }

    /// Whether the kind of a message allows it to be listed.
    func passesKind(_ message: MessageRow) -> Bool {
        !(hidesPings && (message.kind == .ping || message.kind == .pong))
    }

    /// Whether the filter matches a message.
    func passesFilter(_ message: some MessageFilterSubject) -> Bool { filter.matches(message) }
}

internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydHTTPModel

/// Which messages of an exchange are listed.
struct MessageSieve: Sendable {
    private var filter = MessageFilter.everything
    /// Whether pings and pongs are left out.
    var hidesPings = false

    /// A sieve that lets everything through but, perhaps, pings and pongs.
    init(_ filter: MessageFilter = .everything, hidesPings: Bool) {
        self.filter = filter
        self.hidesPings = hidesPings
    }

    /// The same with another filter.
    func filtered(by filter: MessageFilter) -> MessageSieve {
        MessageSieve(filter, hidesPings: hidesPings)
    }

    /// The filter as it was typed.
    var text: String { filter.text }
    var isFiltered: Bool { !filter.matchesEverything }
    /// Whether it leaves nothing out.
    var passesAll: Bool { !isFiltered && !hidesPings }

    /// Whether a message is listed as far as its kind decides that.
    func passesKind(_ message: MessageRow) -> Bool {
        !(hidesPings && (message.kind == .ping || message.kind == .pong))
    }

    /// Whether the filter lets a message through.
    func passesFilter(_ message: some MessageFilterSubject) -> Bool { filter.matches(message) }
}

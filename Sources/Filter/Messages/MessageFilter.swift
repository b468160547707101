/// A filter over the messages of an exchange, as people type it: `price kind=text dir=to_client`.
///
/// It shares the grammar of `Filter`; its fields are described in `MessageFilterManual`. A filter
/// is a pure value and is evaluated message by message.
public struct MessageFilter: Sendable {
    /// The filter as it was typed.
    public let text: String
    private let tree: FilterTree<MessageTest>

    /// The filter that all messages pass.
    public static let everything = MessageFilter(text: "", tree: .everything)

    /// Whether this is the empty filter.
    public var matchesEverything: Bool {
        if case .everything = tree { return true }
        return false
    }

    /// Parses a filter. An empty one lets everything pass.
    public static func parse(_ text: String) throws(FilterError) -> MessageFilter {
        MessageFilter(text: text, tree: try FilterParser.parse(text, MessageTestBuilder()).tree)
    }

    /// Whether a message passes.
    public func matches(_ subject: some MessageFilterSubject) -> Bool {
        tree.decision { FilterDecision($0.holds(for: subject)) } == .passes
    }
}

internal import ProxydHTTPModel

/// A held message, and what it is to become as far as that was written.
public struct HoldDraft: Sendable {
    /// What is held.
    public let message: HeldMessage
    let written: WrittenEdit

    /// The message as it is to go on; nil: as it was.
    /// - Parameters:
    ///   - isEdited: Whether what was written counts.
    ///   - actions: What else is done to it, as a rule has it: `set header:X-A=1`.
    public func content(
        isEdited: Bool, actions: [String]
    ) throws(HoldRefusal) -> HeldMessage.Content? {
        var content: HeldMessage.Content?
        if isEdited, !written.isEmpty {
            content = try message.edited(head: written.head, body: written.body)
        }
        guard !actions.isEmpty else { return content }
        return try message.with(content).edited(by: actions)
    }

    /// What the client is answered with instead.
    public func answer() throws(HoldRefusal) -> RuleAnswer {
        guard let text = written.head else { throw .badEdit("an answer has a head") }
        let head = try HeldHead.response(text)
        var fields = head.fields
        // What is about framing and about one connection is written when it is sent.
        for name in fields.pairs.map(\.name) where RuleTarget.objection(toField: name) != nil {
            fields.removeAll(named: name)
        }
        return RuleAnswer(status: head.status, fields: fields, body: written.body ?? [])
    }
}

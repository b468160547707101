internal import ProxydHTTPModel

/// A held message, and the edit of it that has been written so far.
public struct HoldDraft: Sendable {
    /// The held message.
    public let message: HeldMessage
    let written: WrittenEdit

    /// Returns the content to forward; nil if it is unchanged.
    /// - Parameters:
    ///   - isEdited: Whether the written edit is applied.
    ///   - actions: Further actions, written as in a rule: `set header:X-A=1`.
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

    /// Returns the answer for the client from the written head and body.
    public func answer() throws(HoldRefusal) -> RuleAnswer {
        guard let text = written.head else { throw .badEdit("an answer needs a head") }
        let head = try HeldHead.response(text)
        var fields = head.fields
        // Framing and connection fields are generated when the answer is sent.
        for name in fields.pairs.map(\.name) where RuleTarget.objection(toField: name) != nil {
            fields.removeAll(named: name)
        }
        return RuleAnswer(status: head.status, fields: fields, body: written.body ?? [])
    }
}

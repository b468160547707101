internal import FoundationEssentials
internal import ProxydControl

/// A held message in the user's editor: its head, an empty line, its content.
struct HoldEdit {
    private let hold: Int64
    private let client: ControlClient
    private let head: [UInt8]
    /// The content, or nil if it is not held.
    private let content: [UInt8]?

    /// Reads a hold and claims it, so that others see that it is being decided.
    /// - Throws: `CommandFailure` if it is not held, another client has claimed it, or its content
    ///   is not text.
    init(_ hold: Int64, _ client: ControlClient) throws {
        self.hold = hold
        self.client = client
        try HoldAccess.decide(hold) { () throws(ControlError) in
            try client.claim(hold, as: "proxyctl hold resume --edit")
        }
        guard let head = try HoldAccess.head(of: hold, client) else {
            throw CommandFailure("hold \(hold): no longer held")
        }
        self.head = HoldEdit.withoutReturns(head)
        content = try HoldAccess.content(of: hold, client)
        guard content.map(HoldEdit.isText) ?? true else {
            throw CommandFailure(
                "hold \(hold): the body is not text: replace it with --body FILE")
        }
    }

    /// Lets the message continue as it was saved.
    /// - Parameter actions: Further actions to apply, in the syntax of rules.
    func resume(actions: [String]) throws {
        let draft = try EditorDraft(head + (content ?? []), named: "hold-\(hold).http")
        do {
            try draft.edit()
        } catch {
            draft.remove()
            throw error
        }
        guard let saved = FileManager.default.contents(atPath: draft.path) else {
            draft.remove()
            throw CommandFailure(
                "hold \(hold): the editor removed the file: the message is still held")
        }
        let (head, content) = HoldEdit.parts([UInt8](saved))
        let newHead = head == self.head ? nil : head
        let newContent = hasContent(content) ? nil : content
        do {
            try HoldAccess.decide(hold) { () throws(ControlError) in
                if let newHead { try client.write(.head, of: hold, newHead) }
                if let newContent { try client.write(.body, of: hold, newContent) }
                try client.resume(
                    hold, isEdited: newHead != nil || newContent != nil, actions: actions)
            }
        } catch {
            Report.warn("your edits are in \(draft.path)")
            throw error
        }
        draft.remove()
    }

    /// Whether the saved content is the original one: editors add a line break at the end.
    private func hasContent(_ saved: [UInt8]) -> Bool {
        let before = content ?? []
        return saved == before || (saved.dropLast().elementsEqual(before) && saved.last == 0x0A)
    }

    /// The head with its empty line, and everything after it.
    private static func parts(_ text: [UInt8]) -> (head: [UInt8], content: [UInt8]) {
        var end = text.startIndex
        while let lineEnd = text[end...].firstIndex(of: 0x0A) {
            let line = text[end..<lineEnd]
            end = lineEnd + 1
            if line.isEmpty || line.elementsEqual([0x0D]) { break }
        }
        return (withoutReturns(Array(text[..<end])), Array(text[end...]))
    }

    private static func withoutReturns(_ head: [UInt8]) -> [UInt8] { head.filter { $0 != 0x0D } }

    /// Whether an editor shows the whole content, and saves it unchanged.
    private static func isText(_ content: [UInt8]) -> Bool {
        String(validating: content, as: UTF8.self) != nil
            && content.allSatisfy { $0 >= 0x20 || [0x09, 0x0A, 0x0D].contains($0) }
    }
}

internal import ProxydControl
internal import ProxydHTTPModel
internal import ProxydRules
internal import ArgumentParser
internal import FoundationEssentials

/// `proxyctl hold resume`: lets a held message continue, unchanged or changed.
struct HoldResumeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Let held messages go on, unchanged or edited.",
        discussion: """
            Edits are those of rules: header:, cookie:, query:, form:, json:, method, path, url, \
            status, reason, body. Everything else stays, byte for byte. --head and --body replace \
            a whole part with a file; - is standard input. --edit opens the head and body in \
            $VISUAL or $EDITOR: the message goes on as saved, or as it was if nothing was changed. \
            If the editor fails, it stays held.
            """)

    @OptionGroup var global: GlobalOptions
    @Argument(help: ArgumentHelp("The numbers of the holds.", valueName: "hold"))
    var holds: [Int64]
    @Option(
        name: .customLong("set"),
        help: ArgumentHelp("An edit to apply; may be repeated.", valueName: "target=value"))
    var settings: [String] = []
    @Option(
        name: .customLong("unset"),
        help: ArgumentHelp("What to remove; may be repeated.", valueName: "target"))
    var removals: [String] = []
    @Option(
        help: ArgumentHelp(
            "An edit in the syntax of rules, such as replace; may be repeated.", valueName: "action"
        ))
    var action: [String] = []
    @Option(help: ArgumentHelp("Replace the head with a file.", valueName: "file"))
    var head: String?
    @Option(help: ArgumentHelp("Replace the body with a file.", valueName: "file"))
    var body: String?

    @Flag(help: "Edit the message in $VISUAL or $EDITOR first.")
    var edit = false
    @Flag(help: "Print each decision as a JSON object on a line.")
    var json = false

    func validate() throws {
        guard edit else { return }
        guard holds.count == 1 else { throw ValidationError("--edit takes a single hold") }
        guard head == nil, body == nil else {
            throw ValidationError("--edit cannot be combined with --head or --body")
        }
    }

    func run() throws {
        let actions =
            try settings.map { try HoldResumeCommand.table("set \($0)") }
            + removals.map { try HoldResumeCommand.table("remove \($0)") }
            + action.map { try HoldResumeCommand.table($0) }
        let head = try self.head.map(HoldAccess.contents)
        let body = try self.body.map(HoldAccess.contents)
        let client = try DaemonAccess.running(global)
        if edit, let hold = holds.first {
            try HoldEdit(hold, client).resume(actions: actions)
            if json { HoldAccess.report("resumed", hold) }
            return
        }
        for hold in holds {
            try HoldAccess.decide(hold) { () throws(ControlError) in
                if let head { try client.write(.head, of: hold, head) }
                if let body { try client.write(.body, of: hold, body) }
                try client.resume(hold, isEdited: head != nil || body != nil, actions: actions)
            }
            if json { HoldAccess.report("resumed", hold) }
        }
    }

    private static func table(_ text: String) throws -> String {
        do throws(RuleShortForm.Problem) {
            return try RuleShortForm.table(text)
        } catch {
            throw CommandFailure(error.description, code: .usage)
        }
    }
}

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
            throw CommandFailure("hold \(hold): the body is not text: replace it with --body FILE")
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

struct HoldAnswerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "answer", abstract: "Answer the client instead of the server.",
        discussion: "The answer is sent to the client exactly as given: response rules do not act "
            + "on it, and it is not held again.")

    @OptionGroup var global: GlobalOptions
    @Argument(help: "The hold's number.")
    var hold: Int64
    @Option(help: ArgumentHelp("The status, from 200 to 599.", valueName: "n"))
    var status: Int
    @Option(help: ArgumentHelp("A header field; may be repeated.", valueName: "name: value"))
    var header: [String] = []
    @Option(help: ArgumentHelp("The body.", valueName: "text"))
    var body: String?
    @Option(
        help: ArgumentHelp("Read the body from a file; - is standard input.", valueName: "file"))
    var bodyFile: String?
    @Flag(help: "Print the decision as a JSON object.")
    var json = false

    func validate() throws {
        if body != nil, bodyFile != nil {
            throw ValidationError("--body and --body-file cannot be combined")
        }
        for line in header where line.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 }) {
            throw ValidationError(
                "a header field must not contain control characters: \(line.debugDescription)")
        }
    }

    func run() throws {
        let content = try bodyFile.map(HoldAccess.contents) ?? Array((body ?? "").utf8)
        // The daemon validates the lines: it knows what a head may contain.
        var head = "HTTP/1.1 \(status) \(StatusReason.text(of: status))\r\n"
        for line in header { head += "\(line)\r\n" }
        let client = try DaemonAccess.running(global)
        try HoldAccess.decide(hold) { () throws(ControlError) in
            try client.answer(hold, head: Array((head + "\r\n").utf8), body: content)
        }
        if json { HoldAccess.report("answered", hold) }
    }
}

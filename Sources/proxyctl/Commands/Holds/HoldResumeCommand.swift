internal import ArgumentParser
internal import ProxydControl
internal import ProxydRules

/// `proxyctl hold resume`: lets a held message continue, unchanged or changed.
struct HoldResumeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Let held messages go on, as they are or changed.",
        discussion: """
            Edits are those of rules: header:, cookie:, query:, form:, json:, method, path, url, \
            status, reason, body. What is not edited stays, byte for byte. --head and --body take \
            the whole of a part from a file, - is standard input. --edit opens head and content \
            in $VISUAL or $EDITOR: what is saved goes on, and where nothing was changed, the \
            message as it was. An editor that fails leaves it held.
            """)

    @OptionGroup var global: GlobalOptions
    @Argument(help: ArgumentHelp("The numbers of holds.", valueName: "hold"))
    var holds: [Int64]
    @Option(name: .customLong("set"), help: ArgumentHelp("An edit.", valueName: "target=value"))
    var settings: [String] = []
    @Option(
        name: .customLong("unset"),
        help: ArgumentHelp("What to leave out; may be repeated.", valueName: "target"))
    var removals: [String] = []
    @Option(
        help: ArgumentHelp(
            "An edit as a rule has it, replace for example; may be repeated.", valueName: "action"))
    var action: [String] = []
    @Option(help: ArgumentHelp("Another head, from a file.", valueName: "file"))
    var head: String?
    @Option(help: ArgumentHelp("Another content, from a file.", valueName: "file"))
    var body: String?

    @Flag(help: "Edit it in $VISUAL or $EDITOR first.")
    var edit = false

    func validate() throws {
        guard edit else { return }
        guard holds.count == 1 else { throw ValidationError("--edit takes one hold") }
        guard head == nil, body == nil else {
            throw ValidationError("--edit, and --head or --body, are two ways to say the same")
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
            return try HoldEdit(hold, client).resume(actions: actions)
        }
        for hold in holds {
            try HoldAccess.decide(hold) { () throws(ControlError) in
                if let head { try client.write(.head, of: hold, head) }
                if let body { try client.write(.body, of: hold, body) }
                try client.resume(
                    hold, isEdited: head != nil || body != nil, actions: actions)
            }
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

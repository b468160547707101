internal import ArgumentParser
internal import ProxydControl
internal import ProxydRules

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
                try client.resume(
                    hold, isEdited: head != nil || body != nil, actions: actions)
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

internal import ProxydPresentation
internal import ArgumentParser
internal import ProxydControl
internal import ProxydExchangeContent
internal import ProxydParameterCoding

/// `proxyctl hold`: lists and decides messages that rules hold.
struct HoldCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hold",
        abstract: "Inspect held messages (breakpoints), and let them go on.",
        discussion: """
            A rule with { hold = true } holds messages while someone is there to decide: proxyctl \
            hold wait, or an interface with holds switched on. See docs/RULES.md.
            """,
        subcommands: [
            HoldListCommand.self, HoldShowCommand.self, HoldWaitCommand.self,
            HoldResumeCommand.self, HoldAnswerCommand.self, HoldDropCommand.self,
            HoldResumeAllCommand.self,
        ])
}

/// `proxyctl hold list`: lists the messages that are held.
struct HoldListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the held messages, oldest first.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var selection: FilterArgument
    @Flag(help: "One JSON object per line.")
    var json = false

    func run() throws {
        let filter = try selection.filter() == nil ? nil : selection.text
        let client = try DaemonAccess.running(global)
        let holds = try DaemonAccess.attempt { () throws(ControlError) in
            try client.holds(matching: filter)
        }
        if json {
            for hold in holds { Report().json(HoldReport.value(hold)) }
        } else if holds.isEmpty {
            Report.warn("nothing is held")
        } else {
            for line in HoldReport.table(holds) { Report().line(line) }
        }
    }
}

/// `proxyctl hold show`: shows a held message as it would continue.
struct HoldShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show the head and body of a held message.",
        discussion: "The body is shown decoded, as an editor gets it.")

    @OptionGroup var global: GlobalOptions
    @Argument(help: "The hold's number.")
    var hold: Int64
    @Flag(help: "Only the body, byte for byte unless shown on a terminal.")
    var body = false
    @Flag(help: "Print a JSON object, as in hold list, with the head and the body.")
    var json = false

    func validate() throws {
        if body, json { throw ValidationError("--body and --json cannot be combined") }
    }

    func run() throws {
        let client = try DaemonAccess.running(global)
        if json { return try showJSON(client) }
        let printer = BytePrinter(.current)
        if !body {
            let head = try DaemonAccess.attempt { () throws(ControlError) in
                try client.read(.head, of: hold)
            }
            printer.print(head)
        }
        guard let content = try HoldAccess.content(of: hold, client) else {
            printer.finish()
            return Report.warn("its body is not held: it is too large, or may never end")
        }
        printer.print(content)
        printer.finish()
    }
}

extension HoldShowCommand {
    private func showJSON(_ client: ControlClient) throws {
        let holds = try DaemonAccess.attempt { () throws(ControlError) in
            try client.holds(matching: nil)
        }
        guard let facts = holds.first(where: { $0.hold == hold }),
            let head = try HoldAccess.head(of: hold, client)
        else { throw CommandFailure("hold \(hold): it is not held any more") }
        let content = try HoldAccess.content(of: hold, client)
        Report().json(HoldReport.value(facts, head: head, content: .some(content)))
    }
}

/// `proxyctl hold drop`: closes the client's connection without an answer.
struct HoldDropCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drop", abstract: "Close the client's connection without an answer.")

    @OptionGroup var global: GlobalOptions
    @Argument(help: ArgumentHelp("The numbers of the holds.", valueName: "hold"))
    var holds: [Int64]
    @Flag(help: "Print each decision as a JSON object on a line.")
    var json = false

    func run() throws {
        let client = try DaemonAccess.running(global)
        for hold in holds {
            try HoldAccess.decide(hold) { () throws(ControlError) in try client.drop(hold) }
            if json { HoldAccess.report("dropped", hold) }
        }
    }
}

/// `proxyctl hold resume-all`: lets all held messages continue unchanged.
struct HoldResumeAllCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume-all", abstract: "Let all held messages go on.",
        discussion: "With FILTER, only those that match. Holds claimed by others stay.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var selection: FilterArgument
    @Flag(help: "Print a JSON object.")
    var json = false

    func run() throws {
        let filter = try selection.filter() == nil ? nil : selection.text
        let client = try DaemonAccess.running(global)
        let count = try DaemonAccess.attempt { () throws(ControlError) in
            try client.resumeAll(matching: filter)
        }
        if json { Report().json(.members([("resumed", .integer(count))])) }
        if count == 0 { throw CommandFailure("nothing is held") }
        if !json { Report().line("resumed \(Quantity.count(count, "message"))") }
    }
}

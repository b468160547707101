internal import ProxydPresentation
internal import ArgumentParser
internal import ProxydControl

/// `proxyctl hold`: lists and decides messages that rules hold.
struct HoldCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hold",
        abstract: "Breakpoints: look at what rules hold, and decide about it.",
        discussion: """
            A rule with { hold = true } holds messages while someone is there to decide: proxyctl \
            hold wait, or an interface that takes holds. See docs/RULES.md.
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
        commandName: "list", abstract: "List what is held, oldest first.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var selection: FilterArgument
    @Flag(help: "One JSON object a line.")
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
        commandName: "show", abstract: "Show a held message: its head and its content.",
        discussion: "The content has its content codings undone, as an editor gets it.")

    @OptionGroup var global: GlobalOptions
    @Argument(help: "The hold's number.")
    var hold: Int64
    @Flag(help: "The content alone, byte for byte where it is not shown on a terminal.")
    var body = false

    func run() throws {
        let client = try DaemonAccess.running(global)
        let printer = OctetPrinter(.current)
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

/// `proxyctl hold drop`: closes the client's connection without an answer.
struct HoldDropCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drop", abstract: "End the client's connection without an answer.")

    @OptionGroup var global: GlobalOptions
    @Argument(help: ArgumentHelp("The numbers of holds.", valueName: "hold"))
    var holds: [Int64]

    func run() throws {
        let client = try DaemonAccess.running(global)
        for hold in holds {
            try HoldAccess.decide(hold) { () throws(ControlError) in try client.drop(hold) }
        }
    }
}

/// `proxyctl hold resume-all`: lets all held messages continue unchanged.
struct HoldResumeAllCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume-all", abstract: "Let everything go on that is held.",
        discussion: "With FILTER only what it selects. What someone else has claimed stays.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var selection: FilterArgument

    func run() throws {
        let filter = try selection.filter() == nil ? nil : selection.text
        let client = try DaemonAccess.running(global)
        let count = try DaemonAccess.attempt { () throws(ControlError) in
            try client.resumeAll(matching: filter)
        }
        if count == 0 { throw CommandFailure("nothing was held") }
        Report().line("resumed \(Quantity.count(count, "message"))")
    }
}

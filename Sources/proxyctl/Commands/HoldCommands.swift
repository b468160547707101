internal import ProxydRules
internal import ProxydCivilTime
internal import ProxydControl
internal import ProxydExchangeContent
internal import ProxydOperations
internal import ProxydParameterCoding
internal import ProxydPresentation
internal import ArgumentParser

/// `proxyctl hold`: lists and decides messages that rules hold.
struct HoldCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hold", abstract: "Inspect held messages (breakpoints), and let them go on.",
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
        let holds = try client.holds(matching: filter)
        if json {
            for hold in holds { Report().json(HoldReport.value(hold)) }
        } else {
            if let intercept = try client.status().intercept { report(intercept) }
            if holds.isEmpty { Report.warn("nothing is held") }
            for line in HoldReport.table(holds) where !holds.isEmpty { Report().line(line) }
        }
    }

    /// What interfaces hold without a rule of the file, and how to end it.
    private func report(_ intercept: Intercept) {
        var phases = intercept.holdsRequests ? ["requests"] : []
        if intercept.holdsResponses { phases.append("responses") }
        let what = intercept.filter.isEmpty ? "everything" : intercept.filter
        Report.warn(
            "an interface holds the \(phases.joined(separator: " and ")) of: \(what); "
                + "proxyctl rule remove \(Intercept.ruleName) --temporary ends that")
    }
}

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
            let head = try client.read(.head, of: hold)
            printer.print(head)
        }
        guard let content = try HoldAccess.content(of: hold, client) else {
            printer.finish()
            return Report.warn("its body is not held: it is too large, or may never end")
        }
        printer.print(content)
        printer.finish()
    }

    private func showJSON(_ client: ControlClient) throws {
        let holds = try client.holds(matching: nil)
        guard let facts = holds.first(where: { $0.hold == hold }),
            let head = try HoldAccess.head(of: hold, client)
        else { throw CommandFailure("hold \(hold): it is not held any more") }
        let content = try HoldAccess.content(of: hold, client)
        Report().json(HoldReport.value(facts, head: head, content: .some(content)))
    }
}

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
        let count = try client.resumeAll(matching: filter)
        if json { Report().json(.members([("resumed", .integer(count))])) }
        if count == 0 { throw CommandFailure("nothing is held") }
        if !json { Report().line("resumed \(Quantity.count(count, "message"))") }
    }
}

struct HoldWaitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wait", abstract: "Wait for a held message, and print it as JSON.",
        discussion: """
            From now on rules hold messages; with FILTER, only those that match. The first held \
            message is printed, and the program ends. The message stays held until its deadline: \
            for --for seconds, but not longer than its rule says (timeout_s). Other messages go on \
            10 seconds after the last interface has left. With --follow, each held message is \
            printed on its own line until the program is stopped; they stay held for 10 seconds \
            after that.
            """)

    /// The time between checks whether the output is still read, in nanoseconds.
    private static let pauseNs: Int64 = 1_000_000_000

    @OptionGroup var global: GlobalOptions
    @OptionGroup var selection: FilterArgument
    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("How long the message stays held.", valueName: "seconds"))
    var seconds: Int64 = 60
    @Flag(help: "Keep waiting after the first.")
    var follow = false
    @Flag(help: "Print JSON, as without this flag.")
    var json = false

    func validate() throws {
        guard ControlLimits.holdSeconds.contains(seconds) else {
            throw ValidationError("--for takes 1 to 3600 seconds")
        }
    }

    func run() throws {
        let filter = try selection.filter() == nil ? nil : selection.text
        let client = try DaemonAccess.running(global)
        try client.takeHolds(matching: filter)
        Report.warn("waiting for held messages")
        // Messages already held for another client count as well.
        var next = try client.holds(matching: filter)
        var lastPrinted: Int64 = 0
        let output = Environment.current.output
        while output.failure == nil {
            for hold in next where hold.hold > lastPrinted {
                // A hold that has ended in the meantime no longer has a head.
                guard let head = try HoldAccess.head(of: hold.hold, client) else { continue }
                guard let hold = follow ? hold : reserved(hold, client) else { continue }
                Report().json(HoldReport.value(hold, head: head))
                Report().flush()
                lastPrinted = hold.hold
                if !follow { return }
            }
            next = try nextHolds(client, filter)
        }
    }

    /// The hold with the deadline until which it lasts; nil if it has ended.
    private func reserved(_ hold: HoldSummary, _ client: ControlClient) -> HoldSummary? {
        do throws(ControlError) {
            return try client.reserve(hold.hold, seconds: seconds)
        } catch {
            if error.kind == .notHeld { return nil }
            // A daemon that is older than this program cannot reserve it.
            Report.warn("the message stays held for 10 seconds: \(error.message)")
            return hold
        }
    }

    /// The next holds; empty after a while without any, or if the filter does not match.
    private func nextHolds(_ client: ControlClient, _ filter: String?) throws -> [HoldSummary] {
        let event = try client.nextEvent(timeoutNs: HoldWaitCommand.pauseNs)
        guard case .held(let hold)? = event else { return [] }
        guard let filter else { return [hold] }
        return try client.holds(matching: filter).filter { $0.hold == hold.hold }
    }
}

/// Shared code of the hold commands.
enum HoldAccess {
    /// Decides about a hold; errors are reported with its number.
    static func decide(_ hold: Int64, _ body: () throws(ControlError) -> Void) throws {
        do throws(ControlError) {
            try body()
        } catch {
            throw CommandFailure("hold \(hold): \(error.message)")
        }
    }

    /// - Parameter decision: `resumed`, `answered` or `dropped`.
    static func report(_ decision: String, _ hold: Int64) {
        Report().json(.members([("hold", .integer(Int(hold))), ("decision", .string(decision))]))
    }

    /// The head of a held message, or nil if it is no longer held.
    static func head(of hold: Int64, _ client: ControlClient) throws -> [UInt8]? {
        try read(.head, of: hold, client, nilFor: .notHeld)
    }

    /// The content of a held message, or nil if the content is not held.
    static func content(of hold: Int64, _ client: ControlClient) throws -> [UInt8]? {
        try read(.body, of: hold, client, nilFor: .badEdit)
    }

    private static func read(
        _ part: HoldPart, of hold: Int64, _ client: ControlClient, nilFor kind: ControlError.Kind
    ) throws -> [UInt8]? {
        do throws(ControlError) {
            return try client.read(part, of: hold)
        } catch {
            guard error.kind == kind else { throw CommandFailure(error.message) }
            return nil
        }
    }

    /// The contents of a file; `-` is standard input.
    static func contents(of file: String) throws -> [UInt8] {
        try InputFile.contents(
            of: file, upTo: byteCountMax,
            else: CommandFailure("a replacement body must not be larger than 16 MiB", code: .usage))
    }

    private static let byteCountMax = 16 << 20
}

/// Formats held messages.
enum HoldReport {
    /// One line for each, below a heading.
    static func table(_ holds: [HoldSummary]) -> [StyledText] {
        var table = TextTable(
            titles: ["HOLD", "EXCHANGE", "PHASE", "RULE", "UNTIL", "BODY", "TAKEN", "WHAT"])
        for hold in holds {
            let status = hold.status.map { "\($0) " } ?? ""
            table.append([
                StyledText(String(hold.hold)), StyledText(String(hold.exchangeID)),
                StyledText(hold.phase), StyledText(hold.rule),
                StyledText(WallTime.local.full(hold.deadline), .dim),
                StyledText(hold.bodyByteCount.map { Quantity.bytes(Int64($0)) } ?? "not held"),
                StyledText(hold.claimedBy ?? "-"),
                StyledText("\(status)\(hold.method) \(hold.url)"),
            ])
        }
        return table.lines()
    }

    /// One as JSON, with its head and its content if those were read.
    /// - Parameter content: Nil inside if the content is not held.
    static func value(
        _ hold: HoldSummary, head: [UInt8]? = nil, content: [UInt8]?? = nil
    ) -> JSONValue {
        var members: [(String, JSONValue)] = [
            ("hold", .integer(Int(hold.hold))), ("exchange", .integer(Int(hold.exchangeID))),
            ("phase", .string(hold.phase)), ("rule", .string(hold.rule)),
            ("method", .string(hold.method)), ("url", .string(hold.url)),
            ("status", hold.status.map { .integer($0) } ?? .null),
            ("since", .string(RFC3339.text(nanoseconds: hold.since))),
            ("deadline", .string(RFC3339.text(nanoseconds: hold.deadline))),
            ("body_bytes", hold.bodyByteCount.map { .integer($0) } ?? .null),
            ("claimed_by", .text(hold.claimedBy)),
        ]
        if let head { members.append(("head", .string(String(decoding: head, as: UTF8.self)))) }
        if let content {
            let text = content.flatMap { HoldReport.text($0, head: head ?? []) }
            members.append(("body_text", .text(text)))
            if let content, text == nil {
                members.append(("body_base64", .string(Base64.text(content))))
            }
        }
        return .members(members)
    }

    /// The content as text, in the charset that its head declares; nil if it is not text.
    private static func text(_ content: [UInt8], head: [UInt8]) -> String? {
        let known = BodyContent(decoded: content, contentType: HeldContent.contentType(head))
        return known.text ?? String(validating: content, as: UTF8.self)
    }
}

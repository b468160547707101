internal import Capture
internal import ProxydCaptureModel
internal import ProxydControl
internal import ProxydHTTPModel
internal import ProxydPresentation
internal import ArgumentParser

/// `proxyctl mark`: changes the note, the tags or the pin of an exchange.
struct MarkCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mark", abstract: "Add a note or tags to an exchange, or pin it.",
        discussion: "Pinned exchanges are never deleted to make room.")

    @OptionGroup var global: GlobalOptions
    @Argument(help: ExchangeArgument.help)
    var id: ExchangeArgument
    @Option(help: "The note. An empty note removes it.")
    var note: String?
    @Option(name: .customLong("tag"), help: "Add a tag; may be repeated.")
    var tags: [String] = []
    @Option(name: .customLong("untag"), help: "Remove a tag; may be repeated.")
    var removedTags: [String] = []
    @Flag(help: "Pin the exchange.")
    var pin = false
    @Flag(help: "Unpin it, so that it can be deleted to make room.")
    var unpin = false

    func validate() throws {
        if pin, unpin { throw ValidationError("--pin and --unpin cannot be combined") }
        if note == nil, tags.isEmpty, removedTags.isEmpty, !pin, !unpin {
            throw ValidationError("nothing to do: give --note, --tag, --untag, --pin or --unpin")
        }
        if tags.contains("") { throw ValidationError("a tag must not be empty") }
    }

    func run() throws {
        let location = try global.location()
        let exchange = try exchangeID(location)
        let change = AnnotationChange(
            id: exchange, note: note, addedTags: tags, removedTags: removedTags,
            isPinned: pin ? true : unpin ? false : nil)
        if let central = location.central {
            return try CentralAnnotator(reader: central).annotate([change])
        }
        try StoreChanger.open(location.directory).annotate(change)
    }

    /// A plain number needs no store that can be read: the daemon may be the only one that can.
    private func exchangeID(_ location: StoreLocation) throws -> ExchangeID {
        guard id.name.storeName != nil || location.central != nil else {
            return ExchangeID(rawValue: id.name.number)
        }
        return try id.id(in: location.reader())
    }
}

/// `proxyctl clear`: deletes exchanges.
struct ClearCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear", abstract: "Delete exchanges.",
        discussion: """
            Without FILTER, everything that is not pinned is deleted; with a filter, everything \
            that it matches, pinned or not.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var selection: FilterArgument
    @Flag(help: "Confirm the deletion.")
    var yes = false

    func validate() throws {
        if !yes { throw ValidationError("nothing was deleted: confirm with --yes") }
    }

    func run() throws {
        let filter = try selection.filter()
        let count = try StoreChanger.open(global.dataDirectory()).clear(filter)
        if count == 0, filter != nil { throw CommandFailure("nothing matched") }
        Report().line("deleted \(Quantity.count(count, "exchange"))")
    }
}

/// `proxyctl check`: reads the whole store and reports damage.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check the store's integrity.",
        discussion: "Exits with 0 if the store is intact, otherwise with 1.")

    @OptionGroup var global: GlobalOptions

    func run() throws {
        let reader = try StoreOpener.reader(global.dataDirectory())
        let problems = try reader.integrityCheck()
        let report = Report()
        if problems.isEmpty { return report.line(StyledText("ok", .good) + "  \(reader.path)") }
        for problem in problems { report.line(StyledText(problem, .bad)) }
        throw CommandFailure("\(reader.path): \(Quantity.count(problems.count, "problem"))")
    }
}

/// `proxyctl record`: pauses and resumes recording.
struct RecordCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record", abstract: "Pause or resume recording.",
        discussion: """
            While recording is paused, traffic passes as usual and is counted. Exchanges that have \
            already started are recorded to their end. A restarted daemon records. To select \
            permanently what is recorded, use the key recording.filter.
            """,
        subcommands: [Pause.self, Resume.self])

    struct Pause: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "pause", abstract: "Stop recording new exchanges.")

        @OptionGroup var global: GlobalOptions

        func run() throws { try RecordCommand.turn(on: false, global) }
    }

    struct Resume: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "resume", abstract: "Record new exchanges again.")

        @OptionGroup var global: GlobalOptions

        func run() throws { try RecordCommand.turn(on: true, global) }
    }

    private static func turn(on isOn: Bool, _ global: GlobalOptions) throws {
        let client = try DaemonAccess.running(global)
        try client.setRecording(isOn)
        Report().line(isOn ? "recording" : "recording is paused")
    }
}

internal import Capture
internal import ProxydCaptureModel
internal import ProxydControl
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydPresentation
internal import ArgumentParser

/// `proxyctl mark`: changes the note, the tags or the pin of exchanges.
struct MarkCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mark", abstract: "Add a note or tags to exchanges, or pin them.",
        discussion: """
            A number names one exchange; anything else is a filter, as in \
            'mark host:shop time>-10m --tag before'. Pinned exchanges are never deleted to make \
            room.
            """)

    @OptionGroup var global: GlobalOptions
    @Argument(
        help: ArgumentHelp(
            "The exchange's number, STORE:NUMBER in a central store, or a filter; see proxyctl "
                + "help filter.", valueName: "id or filter"))
    var words: [String] = []
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
        if words.allSatisfy({ $0.allSatisfy(\.isWhitespace) }) {
            throw ValidationError("name an exchange by its number, or give a filter")
        }
        if words.count > 1, words.allSatisfy({ Int64($0) != nil }) {
            let filter = words.map { "id=\($0)" }.joined(separator: " or ")
            throw ValidationError("for several exchanges, give a filter: '\(filter)'")
        }
        if pin, unpin { throw ValidationError("--pin and --unpin cannot be combined") }
        if note == nil, tags.isEmpty, removedTags.isEmpty, !pin, !unpin {
            throw ValidationError("nothing to do: give --note, --tag, --untag, --pin or --unpin")
        }
        if tags.contains("") { throw ValidationError("a tag must not be empty") }
    }

    func run() throws {
        let location = try global.location()
        if let named = try namedExchange(location) { return try mark([named], location) }
        let filter = try FilterArgument.parse(words.joined(separator: " "))
        var ids: [ExchangeID] = []
        try location.reader().forEachRow(matching: filter, .oldest) { row in
            ids.append(row.id)
            return true
        }
        guard !ids.isEmpty else { throw CommandFailure("nothing matched") }
        try mark(ids, location)
        Report().line("marked \(Quantity.count(ids.count, "exchange"))")
    }

    private func mark(_ ids: [ExchangeID], _ location: StoreLocation) throws {
        let changes = ids.map { id in
            AnnotationChange(
                id: id, note: note, addedTags: tags, removedTags: removedTags,
                isPinned: pin ? true : unpin ? false : nil)
        }
        if let central = location.central {
            return try CentralAnnotator(reader: central).annotate(changes)
        }
        try StoreChanger.open(location.directory).annotate(changes)
    }

    /// The exchange if the arguments name one; nil if they are a filter, such as `host:8080`.
    ///
    /// A plain number needs no store that can be read: the daemon may be the only one that can.
    private func namedExchange(_ location: StoreLocation) throws -> ExchangeID? {
        guard words.count == 1, let name = ExchangeName(words[0]) else { return nil }
        if location.central != nil {
            if let id = try location.reader().exchangeID(named: words[0]) { return id }
        } else if name.storeName == nil {
            return ExchangeID(rawValue: name.number)
        }
        guard name.storeName != nil, (try? FilterArgument.parse(words[0])) != nil else {
            throw CommandFailure("there is no exchange \(name)")
        }
        return nil
    }
}

/// `proxyctl clear`: deletes exchanges.
struct ClearCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear", abstract: "Delete exchanges.",
        discussion: "Without FILTER, all exchanges are deleted. Pinned ones stay in any case, "
            + "unless --pinned is given.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var selection: FilterArgument
    @Flag(help: "Delete pinned exchanges, too.")
    var pinned = false
    @Flag(help: "Confirm the deletion.")
    var yes = false

    private static let all = "pinned=no or pinned=yes"

    func validate() throws {
        if !yes { throw ValidationError("nothing was deleted: confirm with --yes") }
        // An empty variable of a shell must not delete everything.
        if !selection.words.isEmpty, selection.text == nil {
            throw ValidationError("the filter is empty; to delete all exchanges, give none")
        }
    }

    func run() throws {
        let filter = try selection.filter()
        let directory = try global.dataDirectory()
        let count = try StoreChanger.open(directory).clear(try deleted(filter))
        if count == 0, let filter { throw try failure(filter, directory) }
        Report().line("deleted \(Quantity.count(count, "exchange"))")
    }

    /// What is deleted of the exchanges that a filter matches, or of all; nil for what is unpinned.
    private func deleted(_ filter: Filter?) throws -> Filter? {
        if pinned { return try filter ?? FilterArgument.parse(ClearCommand.all) }
        return try filter.flatMap(FilterArgument.unpinned)
    }

    private func failure(_ filter: Filter, _ directory: DataDirectory) throws -> CommandFailure {
        let reader: any ExchangeReading = try StoreOpener.reader(directory)
        guard try !reader.rows(matching: filter, .newest, limit: 1).isEmpty else {
            return CommandFailure("nothing matched")
        }
        return CommandFailure(
            "everything that matched is pinned", nextStep: "--pinned deletes pinned exchanges, too")
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

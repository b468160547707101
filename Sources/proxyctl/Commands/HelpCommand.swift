internal import ProxydFilter
internal import ProxydPresentation
internal import ArgumentParser

/// `proxyctl help`: explains a command; `help filter` is the manual of the filter language.
struct HelpCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "help", abstract: "Explain a command, or the filter language: help filter.",
        helpNames: [])

    @OptionGroup var global: GlobalOptions
    @Argument(help: ArgumentHelp("A command, or the word filter.", valueName: "command"))
    var names: [String] = []
    @Flag(name: [.short, .long], help: .hidden)
    var help = false

    func run() throws {
        var command: any ParsableCommand.Type = Proxyctl.self
        for (index, name) in names.enumerated() {
            guard let next = CommandNames.subcommand(name, of: command) else {
                throw CommandFailure(
                    UnknownCommand(name: name, among: command).message, code: .usage)
            }
            guard next != FilterCommand.self else { return FilterCommand.printManual() }
            guard next != HelpCommand.self || index > 0 else { break }
            command = next
        }
        throw CleanExit.helpRequest(command)
    }
}

/// `proxyctl filter`: prints the manual of `help filter`, for users who look for it here.
struct FilterCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "filter", abstract: "Explain the filter language.", shouldDisplay: false,
        helpNames: [])

    @OptionGroup var global: GlobalOptions
    @Flag(name: [.short, .long], help: .hidden)
    var help = false

    func run() { FilterCommand.printManual() }

    static func printManual() {
        let environment = Environment.current
        let report = Report(environment)
        for line in FilterManualReport(environment).lines() { report.wrapped(line) }
    }
}

/// The filter language's manual as lines for users.
struct FilterManualReport {
    /// The maximum width of a line in columns.
    let columnCount: Int

    private static let indent = "  "
    /// The width of the column for syntax, before its explanation.
    private static let formColumnCount = 20

    /// As wide as the terminal, up to a readable width.
    init(_ environment: Environment) {
        columnCount = min(max(environment.columnCount ?? 80, 60), 100)
    }

    func lines() -> [StyledText] {
        var lines = intro()
        for section in FilterManual.sections + [FilterManual.messageFilters] {
            lines += ["", StyledText(section.title, .heading)]
            if let note = section.note { lines += paragraph(note) }
            for entry in section.entries { lines += self.lines(of: entry) }
        }
        return lines
    }

    private func intro() -> [StyledText] {
        paragraph(
            "A FILTER selects exchanges. list, tail, export, replay, clear and the terminal "
                + "interface take the same language. Quote it for the shell, to which < > ( ) ! & "
                + "| ~ and spaces mean something: proxyctl list 'status>=400 host:shop'")
    }

    /// Examples take half of the remaining width, and what they find the other half.
    private var exampleColumnCount: Int {
        let left = columnCount - FilterManualReport.indent.count
        return min(32, (left - FilterManualReport.formColumnCount) * 11 / 20)
    }

    private func lines(of entry: FilterEntry) -> [StyledText] {
        let column = FilterManualReport.indent.count + FilterManualReport.formColumnCount
        var lines = block(StyledText(entry.form, .key), entry.meaning, at: column)
        for example in entry.examples {
            let start = String(repeating: " ", count: column)
            lines += block(
                StyledText(start + example.filter, .heading), example.finding,
                at: column + exampleColumnCount, indent: "")
        }
        return lines
    }

    /// A text in a separate column, on the line of what it explains if that is short enough.
    private func block(
        _ head: StyledText, _ text: String, at column: Int,
        indent: String = FilterManualReport.indent
    ) -> [StyledText] {
        var first = StyledText(indent) + head
        var lines: [StyledText] = []
        if first.columnCount + 2 > column {
            lines.append(first)
            first = ""
        }
        for piece in FilterManualReport.wrapped(text, columnCount: columnCount - column) {
            first.append(String(repeating: " ", count: max(0, column - first.columnCount)))
            first.append(piece)
            lines.append(first)
            first = ""
        }
        return lines
    }

    private func paragraph(_ text: String) -> [StyledText] {
        FilterManualReport.wrapped(text, columnCount: columnCount - 2).map { "  " + StyledText($0) }
    }

    /// A text wrapped between words.
    private static func wrapped(_ text: String, columnCount: Int) -> [String] {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, last.count + 1 + word.count <= columnCount {
                lines[lines.count - 1] += " \(word)"
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}

/// An unknown command, with suggestions for what was meant.
struct UnknownCommand {
    private let name: String
    private let parent: any ParsableCommand.Type

    init(name: String, among parent: any ParsableCommand.Type) {
        self.name = name
        self.parent = parent
    }

    /// Finds the unknown command in arguments that could not be parsed; nil if there is none.
    init?(in arguments: [String]) {
        var command: any ParsableCommand.Type = Proxyctl.self
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" { return nil }
            if Proxyctl.valueOptions.contains(argument) {
                _ = rest.popFirst()
                continue
            }
            if argument.hasPrefix("-") { continue }
            guard !command.configuration.subcommands.isEmpty else { return nil }
            guard let next = CommandNames.subcommand(argument, of: command) else {
                self.init(name: argument, among: command)
                return
            }
            command = next
        }
        return nil
    }

    /// A message such as `there is no command "lsit": did you mean list?`
    var message: String {
        let known = parent.configuration.subcommands.map { CommandNames.name(of: $0) }
        let near = NearNames.of(name.lowercased(), among: known)
        let path = parent == Proxyctl.self ? "" : "\(CommandNames.name(of: parent)) "
        let hint =
            near.isEmpty
            ? "see proxyctl \(path)--help"
            : "did you mean \(near.map { path + $0 }.joined(separator: " or "))?"
        return "there is no command \"\(path)\(name)\": \(hint)"
    }
}

enum CommandNames {
    static func name(of command: any ParsableCommand.Type) -> String {
        command.configuration.commandName ?? ""
    }

    static func subcommand(
        _ name: String, of command: any ParsableCommand.Type
    ) -> (any ParsableCommand.Type)? {
        command.configuration.subcommands.first { self.name(of: $0) == name }
    }
}

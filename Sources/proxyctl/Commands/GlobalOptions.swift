internal import Capture
internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydTerminalText
internal import ArgumentParser

/// Options that every command accepts, before or after its name.
struct GlobalOptions: ParsableArguments {
    @Option(
        name: .customLong("data-dir"),
        help: ArgumentHelp(
            "The data directory. (default: $PROXYD_DATA_DIR, then $XDG_DATA_HOME/proxyd, "
                + "then ~/.local/share/proxyd)", valueName: "dir"))
    var dataDirectoryPath: String?

    @Option(
        name: .customLong("store"),
        help: ArgumentHelp(
            "Read a central store instead of the data directory: postgresql://HOST/DATABASE. "
                + "Passwords belong in ~/.pgpass.", valueName: "uri"))
    var storeURI: String?

    /// The data directory, for commands that use no central store.
    func dataDirectory() throws -> DataDirectory {
        guard storeURI == nil else {
            throw ValidationError(
                "--store works only with the interface, list, show, messages, tail, mark, "
                    + "replay, export, sql, web, mcp, assert and compare")
        }
        return try localDirectory()
    }

    /// The data directory, or the central store that is read in its place.
    func location() throws -> StoreLocation {
        StoreLocation(
            directory: try localDirectory(), central: try storeURI.map(CentralAccess.reader))
    }

    /// The data directory from the option, the environment or the default.
    private func localDirectory() throws -> DataDirectory {
        if let path = dataDirectoryPath {
            guard !path.isEmpty else { throw ValidationError("--data-dir is empty") }
            return DataDirectory(path: path)
        }
        let environment = Environment.current.variables
        guard let directory = DataDirectory.standard(environment: environment) else {
            throw CommandFailure("no data directory: use --data-dir or set HOME")
        }
        return directory
    }
}

/// Where to read from, for commands that only read.
struct ReadOptions: ParsableArguments {
    @Option(
        name: .customLong("file"),
        help: ArgumentHelp(
            "Read a HAR or JSON lines file instead of the data directory. - is standard "
                + "input.", valueName: "file"))
    var filePath: String?

    /// Whether the command reads a file instead of a store.
    var namesFile: Bool { filePath != nil || LeadingFile.isNamed }

    /// The store of the file, or if no file is named the one that the program's options name.
    func location(_ global: GlobalOptions) throws -> StoreLocation {
        try LeadingFile.location(filePath, global)
    }
}

/// A command that can read a file instead of the store.
protocol FileReading: ParsableCommand {}

/// `--file` before a command's name. The parser would also take an option of the program itself
/// from after the name, where `rule test` has an option with the same name.
struct LeadingFile {
    private static let option = "--file"
    @TaskLocal private static var current: String?
    /// Whether the running command looks into a file.
    static var isNamed: Bool { current != nil }

    /// The path of the file, or nil if none is named.
    let path: String?
    /// The remaining arguments for the parser.
    let arguments: [String]

    init(in arguments: [String]) throws {
        var (rest, left) = (arguments[...], [String]())
        var path: String?
        while let argument = rest.first, argument.hasPrefix("-"), argument != "--" {
            rest.removeFirst()
            if argument == LeadingFile.option {
                guard let value = rest.popFirst() else {
                    throw ValidationError("Missing value for '--file <file>'")
                }
                path = value
            } else if argument.hasPrefix(LeadingFile.option + "=") {
                path = String(argument.dropFirst(LeadingFile.option.count + 1))
            } else {
                left.append(argument)
                guard Proxyctl.valueOptions.contains(argument) else { continue }
                if let value = rest.popFirst() { left.append(value) }
            }
        }
        self.path = path
        self.arguments = left + rest
    }

    /// Runs a command on the file. A command that would use the data directory anyway is rejected.
    func run(_ command: inout any ParsableCommand) throws {
        guard path == nil || command is any FileReading else {
            throw ValidationError(
                "--file works only with the interface, list, show, messages, export, sql, web, "
                    + "mcp, assert and compare")
        }
        try LeadingFile.$current.withValue(path) { try command.run() }
    }

    /// The store of a file that the command names in its own option or before its name; otherwise
    /// the one that the program's options name.
    static func location(_ own: String?, _ global: GlobalOptions) throws -> StoreLocation {
        guard let path = own ?? current else { return try global.location() }
        guard global.dataDirectoryPath == nil else {
            throw ValidationError("--file and --data-dir cannot be combined")
        }
        guard global.storeURI == nil else {
            throw ValidationError("--file and --store cannot be combined")
        }
        return StoreLocation(
            directory: try FileStore.current.directory(of: path, .current), central: nil)
    }
}

/// A filter as arguments: one quoted text, or several words joined by `and`.
struct FilterArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "The exchanges to select; see proxyctl help filter.", valueName: "filter"))
    var words: [String] = []

    /// The filter's text, or nil if no filter was given.
    var text: String? {
        let text = words.joined(separator: " ")
        return text.allSatisfy(\.isWhitespace) ? nil : text
    }

    /// The filter, or nil if none was given. An error in it is wrong usage.
    func filter() throws -> Filter? { try text.map(FilterArgument.parse) }

    /// Parses a filter. An error in it is wrong usage.
    static func parse(_ text: String) throws -> Filter {
        do throws(FilterError) {
            return try Filter.parse(text)
        } catch {
            throw failure(error, text)
        }
    }

    /// A filter for those that match and are not pinned; nil, which means the unpinned ones, for
    /// one that matches everything.
    static func unpinned(_ filter: Filter) throws -> Filter? {
        guard !filter.matchesEverything else { return nil }
        return try parse("(\(filter.text)) pinned=no")
    }

    /// The error, and the filter with a mark below it if that fits on one line.
    static func failure(_ error: FilterError, _ text: String) -> CommandFailure {
        let scalars = text.unicodeScalars.prefix(max(0, error.column - 1))
        let before = String(String.UnicodeScalarView(scalars))
        let line = "  " + TerminalText.sanitize(text)
        let indentation = TerminalText.displayWidth(TerminalText.sanitize(before)) + 2
        let isShort = TerminalText.displayWidth(line) < Environment.current.errorColumnCount ?? 200
        return CommandFailure(
            "filter, column \(error.column): \(error.message)", code: .usage,
            quotation: isShort ? [line, String(repeating: " ", count: indentation) + "^"] : [])
    }
}

/// An argument that names an exchange.
struct ExchangeArgument: ExpressibleByArgument, CustomStringConvertible {
    let name: ExchangeName

    init?(argument: String) {
        guard let name = ExchangeName(argument) else { return nil }
        self.name = name
    }

    var description: String { name.description }

    static let help = ArgumentHelp(
        "The exchange's number; STORE:NUMBER in a central store.", valueName: "id")

    /// Finds the exchange's identifier in a store; the exchange need not exist.
    /// - Throws: `CommandFailure` if the store cannot have an exchange of this name.
    func id(in reader: any ExchangeReading) throws -> ExchangeID {
        let id = try reader.exchangeID(named: description)
        guard let id else { throw CommandFailure("there is no exchange \(self)") }
        return id
    }
}

internal import ArgumentParser
internal import Capture

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
    func place(_ global: GlobalOptions) throws -> StorePlace {
        try LeadingFile.place(filePath, global)
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
    static func place(_ own: String?, _ global: GlobalOptions) throws -> StorePlace {
        guard let path = own ?? current else { return try global.place() }
        guard global.dataDirectoryPath == nil else {
            throw ValidationError("--file and --data-dir cannot be combined")
        }
        guard global.storeURI == nil else {
            throw ValidationError("--file and --store cannot be combined")
        }
        return StorePlace(
            directory: try FileStore.current.directory(of: path, .current), central: nil)
    }
}

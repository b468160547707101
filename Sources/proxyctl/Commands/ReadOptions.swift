internal import ArgumentParser
internal import Capture

/// What is read, for commands that only read.
struct ReadOptions: ParsableArguments {
    private static let option = "--file"

    @Option(
        name: .customLong("file"),
        help: ArgumentHelp(
            "Look into a HAR or JSON lines file in place of the data directory. - is standard "
                + "input.", valueName: "file"))
    var filePath: String?

    /// The store of the file, else of the data directory.
    func directory(_ global: GlobalOptions) throws -> DataDirectory {
        guard let filePath else { return try global.dataDirectory() }
        guard global.dataDirectoryPath == nil else {
            throw ValidationError("--file and --data-dir exclude each other")
        }
        return try FileStores.current.directory(of: filePath, .current)
    }

    /// Refuses a file in front of a command that would act on the data directory all the same.
    static func validate(_ command: any ParsableCommand, in arguments: [String]) throws {
        guard !(command is any FileReading) else { return }
        for argument in arguments {
            if CommandNames.subcommand(argument, of: Proxyctl.self) != nil { return }
            guard argument != option, !argument.hasPrefix(option + "=") else {
                throw ValidationError(
                    "--file is for the interface, list, show, messages, export and sql")
            }
        }
    }
}

/// A command that can look into a file in place of the store.
protocol FileReading: ParsableCommand {
    var reading: ReadOptions { get }
}

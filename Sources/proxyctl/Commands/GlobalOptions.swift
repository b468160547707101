internal import ArgumentParser
internal import Capture

/// Options that every command takes, before or behind its name.
struct GlobalOptions: ParsableArguments {
    @Option(
        name: .customLong("data-dir"),
        help: ArgumentHelp(
            "The data directory. (default: $PROXYD_DATA_DIR, else $XDG_DATA_HOME/proxyd, "
                + "else ~/.local/share/proxyd)", valueName: "dir"))
    var dataDirectoryPath: String?

    @Option(
        name: .customLong("file"),
        help: ArgumentHelp(
            "Look into a HAR or JSON lines file in place of the data directory. - is standard "
                + "input.", valueName: "file"))
    var filePath: String?

    /// The store to be read: that of `--file`, else of the data directory.
    func readDirectory() throws -> DataDirectory {
        guard let filePath else { return try dataDirectory() }
        guard dataDirectoryPath == nil else {
            throw ValidationError("--file and --data-dir exclude each other")
        }
        return try FileStores.current.directory(of: filePath, .current)
    }

    /// The data directory that the option, the environment or the standard names.
    func dataDirectory() throws -> DataDirectory {
        guard filePath == nil else {
            throw ValidationError(
                "--file is for the interface, list, show, messages, export and sql")
        }
        if let path = dataDirectoryPath {
            guard !path.isEmpty else { throw ValidationError("--data-dir is empty") }
            return DataDirectory(path: path)
        }
        let environment = Surroundings.current.environment
        guard let directory = DataDirectory.standard(environment: environment) else {
            throw CommandFailure("no data directory: give --data-dir, or set HOME")
        }
        return directory
    }
}

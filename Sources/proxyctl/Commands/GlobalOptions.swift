internal import ArgumentParser
internal import Capture

/// Options that every command accepts, before or after its name.
struct GlobalOptions: ParsableArguments {
    @Option(
        name: .customLong("data-dir"),
        help: ArgumentHelp(
            "The data directory. (default: $PROXYD_DATA_DIR, then $XDG_DATA_HOME/proxyd, "
                + "then ~/.local/share/proxyd)", valueName: "dir"))
    var dataDirectoryPath: String?

    /// The data directory from the option, the environment or the default.
    func dataDirectory() throws -> DataDirectory {
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

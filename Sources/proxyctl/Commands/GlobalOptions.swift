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
    func place() throws -> StorePlace {
        StorePlace(directory: try localDirectory(), central: try storeURI.map(CentralAccess.reader))
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

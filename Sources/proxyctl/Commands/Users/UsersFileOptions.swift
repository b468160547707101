internal import ArgumentParser
internal import ProxydConfigurationText
internal import ProxydDaemonConfiguration
internal import ProxydUsers

/// Which users file a command is about.
struct UsersFileOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The users file. (default: that of the configuration, if it has one)",
            valueName: "file"))
    var file: String?

    @Option(help: ArgumentHelp("The configuration file.", valueName: "file"))
    var config: String?

    /// The file that was named, or the only one of the configuration.
    func chosen() throws -> PrivateUsersFile {
        if let file { return PrivateUsersFile(path: file) }
        let locator = ConfigurationLocator(environment: Environment.current.variables)
        let configurationFile = locator.configurationFile(flag: config)
        let listen: Configuration.Listen
        do throws(ConfigurationError) {
            listen = try Configuration.load(file: configurationFile).listen
        } catch {
            throw CommandFailure(error.description, code: .configuration)
        }
        let files = Set(listen.listeners.compactMap(\.options.usersFile))
        guard let only = files.first, files.count == 1 else {
            let name = configurationFile ?? "the configuration"
            throw CommandFailure(
                files.isEmpty
                    ? "\(name) has no users_file: name the file with --file"
                    : "\(name) has several users files: name one with --file", code: .usage)
        }
        return PrivateUsersFile(path: only)
    }

    /// The bytes of the file.
    func bytes(of file: PrivateUsersFile) throws -> [UInt8] {
        do throws(PrivateUsersFile.Failure) {
            return try file.bytes()
        } catch {
            throw UsersFileOptions.failure(error, file)
        }
    }

    /// Replaces the file.
    func write(_ bytes: [UInt8], to file: PrivateUsersFile) throws {
        do throws(PrivateUsersFile.Failure) {
            try file.write(bytes)
        } catch {
            throw UsersFileOptions.failure(error, file)
        }
    }

    /// What is wrong with a file, one mistake per line.
    static func failure(
        _ failure: PrivateUsersFile.Failure, _ file: PrivateUsersFile
    ) -> CommandFailure {
        switch failure {
        case .file(let message): CommandFailure("\(file.path): \(message)")
        case .lines(let mistakes):
            CommandFailure(
                mistakes.map { "\(file.path):\($0.line): \($0.message)" }.joined(separator: "\n"),
                code: .configuration)
        }
    }
}

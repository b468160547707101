internal import ProxydConfigurationText
internal import ProxydDaemonConfiguration
internal import ProxydPresentation
internal import ProxydUsers
internal import ArgumentParser
internal import Glibc

/// `proxyctl user`: the users of listeners that need a password.
struct UserCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user", abstract: "Manage the users of the proxy.",
        discussion: """
            Clients of a listener with a users_file must send a name and a password. The file has \
            a line NAME:HASH for each user, as htpasswd writes it, and is private to its owner. \
            Changes take effect when the daemon reloads its configuration (SIGHUP). See \
            docs/CONFIGURATION.md.
            """,
        subcommands: [UserAddCommand.self, UserRemoveCommand.self, UserListCommand.self])
}

struct UserAddCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a user, or set a new password.",
        discussion: """
            The password is asked for twice on a terminal, and otherwise it is the first line of \
            standard input. Its hash is made by yescrypt.
            """)

    @OptionGroup var place: UsersFileOptions
    @Argument(help: ArgumentHelp("The user's name.", valueName: "name"))
    var name: String

    func run() throws {
        let user = Array(name.utf8)
        if let objection = UsersFile.objection(to: user) { throw ValidationError(objection) }
        let file = try place.chosen()
        let before = file.exists ? try file.contents() : []
        let password = try PasswordInput.read(for: name, Environment.current)
        guard let hash = PasswordHash.make(of: password) else {
            throw CommandFailure(
                "a password has 1 to \(PasswordHash.passwordByteCountMax) bytes and no NUL")
        }
        let (after, isNew) = UsersFile.setting(hash, of: user, in: before)
        try file.replace(with: after)
        Report().line(
            StyledText(isNew ? "added \(name) to \(file.path)" : "set a new password for \(name)"))
    }
}

struct UserRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a user.")

    @OptionGroup var place: UsersFileOptions
    @Argument(help: ArgumentHelp("The user's name.", valueName: "name"))
    var name: String

    func run() throws {
        let file = try place.chosen()
        let bytes = try file.contents()
        guard let rest = UsersFile.removing(Array(name.utf8), from: bytes) else {
            throw CommandFailure("\(file.path) has no user \(name)")
        }
        try file.replace(with: rest)
        Report().line(StyledText("removed \(name)"))
    }
}

struct UserListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the users.")

    @OptionGroup var place: UsersFileOptions

    func run() throws {
        let file = try place.chosen()
        let table = try file.explained { (file) throws(PrivateUsersFile.Failure) in
            try file.users()
        }
        let report = Report()
        for name in table.names {
            let method = table.hashes[name].map(\.method.rawValue) ?? ""
            report.exactly(name + Array("\t\(method)\n".utf8))
        }
    }
}

/// The users file that a command works on.
struct UsersFileOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The users file. (default: that of the configuration, if it has one)",
            valueName: "file"))
    var file: String?

    @Option(help: ArgumentHelp("The configuration file.", valueName: "file"))
    var config: String?

    /// The named file, or the only one of the configuration.
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
}

extension PrivateUsersFile {
    fileprivate func contents() throws -> [UInt8] {
        try explained { (file) throws(Failure) in try file.bytes() }
    }

    fileprivate func replace(with bytes: [UInt8]) throws {
        try explained { (file) throws(Failure) in try file.write(bytes) }
    }

    /// Works on the file; a failure says what is wrong with it, one mistake per line.
    fileprivate func explained<Value>(
        _ body: (PrivateUsersFile) throws(Failure) -> Value
    ) throws -> Value {
        do throws(Failure) {
            return try body(self)
        } catch {
            switch error {
            case .file(let message): throw CommandFailure("\(path): \(message)")
            case .lines(let mistakes):
                let lines = mistakes.map { "\(path):\($0.line): \($0.message)" }
                throw CommandFailure(lines.joined(separator: "\n"), code: .configuration)
            }
        }
    }
}

/// Reads a password from the terminal, without showing it, or from standard input.
enum PasswordInput {
    private static let byteCountMax = 4_096

    static func read(for name: String, _ environment: Environment) throws -> [UInt8] {
        guard isatty(environment.inputDescriptor) != 0 else {
            return try line(environment.inputDescriptor)
        }
        let first = try ask("Password of \(name): ", environment)
        guard try ask("The same again: ", environment) == first else {
            throw CommandFailure("the passwords differ: nothing was changed")
        }
        return first
    }

    private static func ask(_ prompt: String, _ environment: Environment) throws -> [UInt8] {
        environment.errors.write(Array(prompt.utf8))
        environment.errors.flush()
        defer {
            environment.errors.write([0x0A])
            environment.errors.flush()
        }
        var shown = termios()
        let descriptor = environment.inputDescriptor
        guard tcgetattr(descriptor, &shown) == 0 else {
            throw CommandFailure("the terminal cannot hide the password")
        }
        var hidden = shown
        hidden.c_lflag &= ~tcflag_t(ECHO)
        guard tcsetattr(descriptor, TCSAFLUSH, &hidden) == 0 else {
            throw CommandFailure("the terminal cannot hide the password")
        }
        defer { tcsetattr(descriptor, TCSAFLUSH, &shown) }
        return try line(descriptor)
    }

    /// One line without its end, byte for byte.
    private static func line(_ descriptor: Int32) throws -> [UInt8] {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while line.count <= byteCountMax {
            let count = Glibc.read(descriptor, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw CommandFailure(
                    "standard input cannot be read: \(String(cString: strerror(errno)))")
            }
            if count == 0 || byte == 0x0A { break }
            line.append(byte)
        }
        if line.last == 0x0D { line.removeLast() }
        return line
    }
}

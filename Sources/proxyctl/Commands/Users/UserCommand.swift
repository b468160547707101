internal import ArgumentParser
internal import ProxydPresentation
internal import ProxydUsers

/// `proxyctl user`: the users of listeners that need a password.
struct UserCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user",
        abstract: "Manage the users of the proxy.",
        discussion: """
            Clients of a listener with a users_file must send a name and a password. The file has \
            a line NAME:HASH for each user, as htpasswd writes it, and is private to its owner. \
            Changes take effect when the daemon reloads its configuration (SIGHUP). See \
            docs/CONFIGURATION.md.
            """,
        subcommands: [UserAddCommand.self, UserRemoveCommand.self, UserListCommand.self])
}

/// `proxyctl user add`: adds a user, or sets another password.
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
        let before = file.exists ? try place.bytes(of: file) : []
        let password = try PasswordInput.read(for: name, Environment.current)
        guard let hash = PasswordHash.make(of: password) else {
            throw CommandFailure(
                "a password has 1 to \(PasswordHash.passwordByteCountMax) bytes and no NUL")
        }
        let (after, isNew) = UsersFile.setting(hash, of: user, in: before)
        try place.write(after, to: file)
        Report().line(
            StyledText(
                isNew ? "added \(name) to \(file.path)" : "set a new password for \(name)"))
    }
}

/// `proxyctl user remove`: removes a user.
struct UserRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a user.")

    @OptionGroup var place: UsersFileOptions
    @Argument(help: ArgumentHelp("The user's name.", valueName: "name"))
    var name: String

    func run() throws {
        let file = try place.chosen()
        let bytes = try place.bytes(of: file)
        guard let rest = UsersFile.removing(Array(name.utf8), from: bytes) else {
            throw CommandFailure("\(file.path) has no user \(name)")
        }
        try place.write(rest, to: file)
        Report().line(StyledText("removed \(name)"))
    }
}

/// `proxyctl user list`: the names of the users.
struct UserListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the users.")

    @OptionGroup var place: UsersFileOptions

    func run() throws {
        let file = try place.chosen()
        do throws(PrivateUsersFile.Failure) {
            let table = try file.users()
            let report = Report()
            for name in table.names {
                let method = table.hashes[name].map(\.method.rawValue) ?? ""
                report.exactly(name + Array("\t\(method)\n".utf8))
            }
        } catch {
            throw UsersFileOptions.failure(error, file)
        }
    }
}

internal import Logging
internal import ProxydConfigurationText
internal import ProxydDaemonConfiguration
internal import ProxydEventLoops
internal import ProxydProxyEngine
internal import ProxydUsers

/// Keeps the users of all listeners in effect, and decides who may use each listener.
final class UsersKeeper: ClientAuthenticator {
    private let checker: PasswordChecker

    /// Reads the users files of a configuration.
    init(_ listen: Configuration.Listen) throws(ConfigurationError) {
        let logger = Logger(label: "proxyd.users")
        checker = PasswordChecker(onWrong: { client in
            logger.warning("\(client) sent wrong user names or passwords")
        })
        checker.use(try UsersKeeper.users(of: listen))
    }

    /// The users of each listener.
    /// - Throws: all mistakes in all files.
    static func users(of listen: Configuration.Listen) throws(ConfigurationError) -> ListenerUsers {
        var read: [String: UserTable] = [:]
        var problems: [ConfigurationProblem] = []
        func table(of file: String?) -> UserTable? {
            guard let file else { return nil }
            if let known = read[file] { return known }
            var table = UserTable()
            do throws(PrivateUsersFile.Failure) {
                table = try PrivateUsersFile(path: file).users()
            } catch {
                problems += error.problems(of: file)
            }
            read[file] = table
            return table
        }
        // A socket from the service manager may have no listener in the configuration.
        var users = ListenerUsers(others: table(of: listen.usersFile))
        for listener in listen.listeners {
            users.set(table(of: listener.options.usersFile), of: listener.name)
        }
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
        return users
    }

    func use(_ users: ListenerUsers) { checker.use(users) }

    /// Ends the threads that check passwords.
    func stop() { checker.stop() }

    // MARK: ClientAuthenticator

    func isRequired(by listener: String) -> Bool { checker.isRequired(by: listener) }

    func check(
        _ credentials: ClientCredentials, of client: SocketAddress, at listener: String,
        completion: @escaping @Sendable (CredentialVerdict) -> Void
    ) {
        checker.check(
            user: credentials.user, password: credentials.password, of: client.ip, at: listener
        ) { verdict in
            switch verdict {
            case .right: completion(.accepted)
            case .wrong: completion(.rejected)
            case .tooMany: completion(.tooMany)
            }
        }
    }
}

extension PrivateUsersFile.Failure {
    /// The mistakes in a file, with their lines; or why the file cannot be used, without a line.
    func problems(of file: String) -> [ConfigurationProblem] {
        switch self {
        case .file(let message): [ConfigurationProblem(location: file, message: message)]
        case .lines(let mistakes):
            mistakes.map {
                ConfigurationProblem(location: "\(file):\($0.line)", message: $0.message)
            }
        }
    }
}

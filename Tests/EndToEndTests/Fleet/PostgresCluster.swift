import Foundation
import ProxydTestSupport
import Synchronization

/// A PostgreSQL server of the tests' own: its cluster is in a folder that is removed with it, and
/// it listens on a socket in that folder only, unless a test asks for TLS.
final class PostgresCluster: Sendable {
    /// The server that tests share; it stops when none of them uses it.
    static func shared() throws -> PostgresCluster {
        try current.withLock { current in
            if let running = current.cluster { return running }
            let cluster = try PostgresCluster()
            current.cluster = cluster
            return cluster
        }
    }

    private struct Current {
        weak var cluster: PostgresCluster?
    }

    private static let current = Mutex(Current())

    /// Where cluster and socket are.
    let folder: String
    /// The port, which also is in the name of the socket.
    let port: Int
    private let settings: [String: String]
    private let server = Mutex<ChildProcess?>(nil)

    /// Makes a cluster and starts its server.
    init(port: Int = 5432, settings: [String: String] = [:]) throws {
        folder =
            FileManager.default.temporaryDirectory.path
            + "/proxyd-pg-\(UUID().uuidString.prefix(8))"
        self.port = port
        self.settings = settings
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        try PostgresCluster.giveToServer(folder)
        try run(
            "initdb",
            [
                "-D", folder + "/data", "-A", "trust", "-U", "postgres", "-E", "UTF8",
                "--locale=C.UTF-8", "-N",
            ])
        try start()
    }

    deinit {
        server.withLock { $0 = nil }
        try? FileManager.default.removeItem(atPath: folder)
    }

    // MARK: The server

    /// Starts the server, and waits until it answers. After a crash it does not start before the
    /// last process of its predecessor has ended.
    func start() throws {
        for _ in 0..<100 {
            try spawn()
            if try isAnswering() { return }
            usleep(50_000)
        }
        let log = (try? String(contentsOfFile: folder + "/log", encoding: .utf8)) ?? ""
        throw Tool.Failure(description: "PostgreSQL did not start: \(log.suffix(2_000))")
    }

    /// Waits until the server answers; false if its process ends before.
    private func isAnswering() throws -> Bool {
        for _ in 0..<600 {
            if (try? sql("SELECT 1")) == ["1"] { return true }
            guard server.withLock({ $0?.isRunning == true }) else { return false }
            usleep(50_000)
        }
        return false
    }

    private func spawn() throws {
        var arguments = ["-D", folder + "/data", "-k", folder, "-p", "\(port)"]
        var all = [
            "listen_addresses": "", "fsync": "off", "shared_buffers": "32MB",
            "max_connections": "40", "log_min_messages": "fatal",
        ]
        for (key, value) in settings { all[key] = value }
        for (key, value) in all.sorted(by: { $0.key < $1.key }) {
            arguments += ["-c", "\(key)=\(value)"]
        }
        let log = try PostgresCluster.descriptor(folder + "/log", O_WRONLY | O_CREAT | O_APPEND)
        let nothing = try PostgresCluster.descriptor("/dev/null", O_RDONLY)
        defer {
            close(log)
            close(nothing)
        }
        let command = try PostgresCluster.command("postgres", arguments)
        let process = try ChildProcess(
            command.program, command.arguments,
            environment: Tool.cleanEnvironment(adding: [:]), directory: folder,
            streams: ChildProcess.Streams(input: nothing, output: log, errors: log))
        server.withLock { $0 = process }
    }

    /// Kills the server with its whole process group, as a crash of the machine's software would.
    func kill() {
        server.withLock { server in
            guard let running = server else { return }
            Foundation.kill(-running.pid, SIGKILL)
            _ = try? running.wait(seconds: 30)
            server = nil
        }
    }

    /// Kills the processes that serve programs with an application name; the server recovers.
    func killBackends(of program: String) throws {
        let pids = try sql(
            "SELECT pid FROM pg_stat_activity WHERE application_name = '\(program)'")
        for pid in pids.compactMap({ pid_t($0) }) { Foundation.kill(pid, SIGKILL) }
    }

    /// Waits until a server that recovers answers again.
    func waitUntilItAnswers() throws {
        guard try isAnswering() else { throw Tool.Failure(description: "PostgreSQL ended") }
    }

    // MARK: Statements

    /// What a statement returns, columns joined by `|`.
    @discardableResult
    func sql(_ statement: String, user: String = "postgres") throws -> [String] {
        let outcome = try Tool.run(
            "psql",
            [
                "-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-h", folder, "-p", "\(port)",
                "-U", user, "-d", "postgres", "-c", statement,
            ], seconds: 120)
        guard outcome.status == 0 else { throw Tool.Failure(description: outcome.errors) }
        return outcome.text.split(separator: "\n").map(String.init)
    }

    /// Everything in a schema as SQL.
    func dump(_ schema: String) throws -> String {
        try Tool.run(
            "pg_dump", ["-h", folder, "-p", "\(port)", "-U", "postgres", "-n", schema, "postgres"]
        ).text
    }

    /// The location of a team's schema.
    func location(_ team: String, user: String = "postgres") -> String {
        "postgresql://\(user)@/postgres?host=\(folder)&port=\(port)&options=-csearch_path%3D\(team)"
    }

    /// The location of the database without a schema.
    var database: String { "postgresql://postgres@/postgres?host=\(folder)&port=\(port)" }

    // MARK: Programs

    /// Runs one of the server's programs to its end.
    private func run(_ name: String, _ arguments: [String]) throws {
        let command = try PostgresCluster.command(name, arguments)
        let outcome = try Tool.run(command.program, command.arguments, directory: folder)
        guard outcome.status == 0 else { throw Tool.Failure(description: outcome.errors) }
    }

    /// The server refuses to run as root: it then runs as the user of its package.
    private static func command(
        _ name: String, _ arguments: [String]
    ) throws -> (program: String, arguments: [String]) {
        let program = try programs() + "/" + name
        guard geteuid() == 0 else { return (program, arguments) }
        guard let setpriv = Tool.find("setpriv") else {
            throw Tool.Failure(description: "setpriv is not installed")
        }
        return (
            setpriv,
            ["--reuid", "postgres", "--regid", "postgres", "--clear-groups", program] + arguments
        )
    }

    private static func programs() throws -> String {
        let base = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: base)) ?? []
        let newest = versions.compactMap { Int($0) }.max()
        guard let newest else { throw Tool.Failure(description: "PostgreSQL is not installed") }
        return "\(base)/\(newest)/bin"
    }

    static func giveToServer(_ path: String) throws {
        guard geteuid() == 0 else { return }
        guard let user = getpwnam("postgres"),
            chown(path, user.pointee.pw_uid, user.pointee.pw_gid) == 0
        else { throw Tool.Failure(description: "there is no user postgres") }
    }

    private static func descriptor(_ path: String, _ flags: Int32) throws -> Int32 {
        let descriptor = open(path, flags | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Tool.Failure(description: "\(path): \(errno)") }
        return descriptor
    }
}

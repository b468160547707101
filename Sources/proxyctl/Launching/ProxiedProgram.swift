internal import Capture
internal import Glibc
internal import ProxydControl
internal import ProxydTLS

/// Starts programs that use a daemon as their proxy and trust its authority.
struct ProxiedProgram {
    /// How long a program may take to end by itself after a signal to this one.
    private static let grace = Duration.seconds(2)

    let environment: ProxiedEnvironment
    private let folder: TemporaryFolder

    /// Prepares the environment for a daemon.
    init(host: String, port: UInt16, _ directory: DataDirectory, _ folder: TemporaryFolder) throws {
        self.folder = folder
        let files = try TrustFiles(
            trusting: CertificateAuthority.certificatePath(in: directory.path), in: folder.path,
            .current)
        environment = ProxiedEnvironment(host: host, port: port, files: files)
    }

    /// Runs a command to its end, with the standard streams of this program, and returns its exit
    /// code.
    /// - Parameters:
    ///   - more: Variables of its environment in addition.
    ///   - sparesOutput: Whether its standard output goes to standard error.
    func run(
        _ command: [String], adding more: [String: String] = [:], sparesOutput: Bool = false
    ) throws -> Int32 {
        Environment.current.output.flush()
        Environment.current.errors.flush()
        var streams = ChildProgram.Streams.own
        if sparesOutput { streams.output = STDERR_FILENO }
        let variables = environment.variables(from: Environment.current.variables)
            .merging(more) { $1 }
        return try Interruption.watched { isStopped in
            let child = try ChildProgram(command, environment: variables, streams: streams)
            if let exitCode = child.wait(isStopped) { return exitCode }
            // A terminal has sent its signal to the program, too.
            if let exitCode = child.wait(for: ProxiedProgram.grace) { return exitCode }
            child.send(SIGTERM)
            if let exitCode = child.wait(for: ProxiedProgram.grace) { return exitCode }
            child.send(SIGKILL)
            return child.wait() ?? 137
        }
    }
}

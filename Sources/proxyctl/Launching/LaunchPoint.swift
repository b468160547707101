internal import Capture
internal import ProxydControl
internal import ProxydEventLoops
internal import ProxydTLS
internal import FoundationEssentials
internal import Glibc

/// The daemon that a launched program uses: the running one of a data directory, or one that exists
/// only meanwhile.
final class LaunchPoint {
    let program: ProxiedProgram
    /// The daemon as a phrase for users.
    let description: String
    private let folder: TemporaryFolder
    private let daemon: OwnDaemon?

    init(_ directory: DataDirectory) throws {
        folder = try TemporaryFolder()
        if let address = try LaunchPoint.running(directory) {
            daemon = nil
            program = try ProxiedProgram(host: address.ip, port: address.port, directory, folder)
            description = "the running proxyd on \(address)"
        } else {
            let own = try OwnDaemon(directory, in: folder)
            daemon = own
            program = try ProxiedProgram(
                host: own.address.ip, port: own.address.port, directory, folder)
            description = "a proxyd of its own on \(own.address)"
        }
    }

    /// A folder that is removed when the program has ended.
    var folderPath: String { folder.path }

    /// Ends the daemon if it was started here.
    func end() {
        daemon?.stop()
        folder.remove()
    }

    /// The address of the running daemon; nil if none is running.
    private static func running(_ directory: DataDirectory) throws -> SocketAddress? {
        guard let client = try WritingProcess.daemon(directory) else { return nil }
        let status = try client.status()
        guard let address = status.proxyAddress.flatMap({ SocketAddress($0) }) else {
            throw CommandFailure("the daemon has no listener in mode proxy")
        }
        guard address.isUnspecified else { return address }
        return SocketAddress(ip: address.ip.contains(":") ? "::1" : "127.0.0.1", port: address.port)
    }
}

/// A proxyd that this program starts for another program, and ends after it.
final class OwnDaemon {
    /// How long it may take until it listens.
    private static let startPatience = Duration.seconds(30)
    /// How long it may take to finish what is under way, and then to stop anyway.
    private static let endPatience = Duration.seconds(5)
    private static let prefix = "proxyd: listening on "

    let address: SocketAddress
    let directory: DataDirectory
    private let child: ChildProgram
    private let folder: TemporaryFolder

    /// Starts a daemon on a free port of this machine's own address.
    /// - Parameters:
    ///   - directory: Its data directory; nil for one in the folder.
    ///   - folder: Where its messages are kept.
    init(_ directory: DataDirectory?, in folder: TemporaryFolder) throws {
        self.folder = folder
        let own = DataDirectory(path: folder.path + "/data")
        self.directory = directory ?? own
        guard let program = SiblingProgram.path("proxyd") else {
            throw CommandFailure("proxyd is not installed", code: .notFound)
        }
        var command = [program, "--listen", "127.0.0.1:0", "--data-dir", self.directory.path]
        if directory == nil {
            // Only the environment decides what it does, nothing else on the machine.
            let file = folder.path + "/proxyd.toml"
            try? AtomicFile.write([], to: file)
            command += ["--config", file]
        }
        guard let output = OutputPipe() else { throw CommandFailure("no descriptors are left") }
        let log = folder.path + "/proxyd.log"
        let errors = open(log, O_WRONLY | O_CREAT | O_CLOEXEC | O_APPEND, 0o600)
        guard errors >= 0 else { throw CommandFailure("\(log) cannot be written") }
        defer { close(errors) }
        child = try ChildProgram(
            command, environment: Environment.current.variables,
            streams: .init(output: output.writeEnd, errors: errors), hasOwnGroup: true)
        output.closeWriteEnd()
        folder.note(.started, child)
        do {
            address = try OwnDaemon.address(child, output, log)
        } catch {
            child.send(SIGKILL)
            _ = child.wait()
            folder.note(.ended, child)
            throw error
        }
    }

    /// Waits for the line that says where it listens.
    private static func address(
        _ child: ChildProgram, _ output: OutputPipe, _ log: String
    ) throws -> SocketAddress {
        let deadline = ContinuousClock.now + startPatience
        while ContinuousClock.now < deadline {
            OutputPipe.wait(for: output)
            output.read()
            if let line = output.bytes.split(separator: 0x0A).first, output.bytes.contains(0x0A) {
                let text = String(decoding: line, as: UTF8.self)
                if text.hasPrefix(prefix),
                    let address = SocketAddress(text.dropFirst(prefix.count))
                {
                    return address
                }
                throw CommandFailure("proxyd said: \(text)")
            }
            if child.end() != nil { break }
        }
        let errors = FileManager.default.contents(atPath: log) ?? Data()
        let lines = String(decoding: errors, as: UTF8.self).split(whereSeparator: \.isNewline)
        throw CommandFailure("proxyd did not start: \(lines.last ?? "it said nothing")")
    }

    /// Ends it, after it has recorded everything that has ended. Returns its exit code; anything
    /// but 0 means that it may not have.
    @discardableResult
    func stop() -> Int32 {
        var code: Int32?
        for signal in [SIGTERM, SIGTERM, SIGKILL] where code == nil {
            child.send(signal)
            code = child.wait(for: OwnDaemon.endPatience)
        }
        folder.note(.ended, child)
        return code ?? -1
    }

    deinit { stop() }
}

extension SocketAddress {
    /// Parses `ADDRESS:PORT`.
    init?(_ text: some StringProtocol) {
        guard let colon = text.lastIndex(of: ":"),
            let port = UInt16(text[text.index(after: colon)...])
        else { return nil }
        let host = text[..<colon].filter { $0 != "[" && $0 != "]" }
        self.init(ip: String(host), port: port)
    }
}

/// Starts programs that use a daemon as their proxy and trust its authority.
struct ProxiedProgram {
    /// How long a program may take to end by itself after a signal to this one.
    private static let grace = Duration.seconds(2)

    let environment: ProxiedEnvironment
    private let folder: TemporaryFolder

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
    ///   - more: Additional environment variables.
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

/// A private folder that exists at most as long as this process: a shell that outlives the process
/// removes the folder, however the process ends, and ends the daemon that works in it.
final class TemporaryFolder {
    let path: String
    private let keeper: KeeperShell
    private var isOpen = true

    init() throws {
        path = try ServeSource.makeDirectory(prefix: "proxyctl-run")
        keeper = try KeeperShell(
            TemporaryFolder.script, path, environment: ["PATH": "/usr/bin:/bin"])
    }

    deinit { remove() }

    /// The shell waits for lines from this process: the IDs of daemons, each as it starts or has
    /// ended, and finally the word `done`. Without that word, the process was killed.
    private static let script = """
        trap '' HUP INT TERM QUIT PIPE
        running=
        while read word id; do
            case $word in
            started) running=$id ;;
            ended) running= ;;
            done) break ;;
            esac
        done
        if [ -n "$running" ]; then
            kill "$running"
            tries=0
            while kill -0 "$running" && [ $tries -lt 50 ]; do
                sleep 0.1
                tries=$((tries + 1))
            done
        fi
        rm -rf -- "$1"
        """

    /// Records that a daemon runs, or no longer does.
    func note(_ event: Event, _ child: ChildProgram) { say("\(event.rawValue) \(child.pid)\n") }

    enum Event: String {
        case started
        case ended
    }

    private func say(_ line: String) {
        let bytes = Array(line.utf8)
        _ = write(keeper.pipeEnd, bytes, bytes.count)
    }

    func remove() {
        guard isOpen else { return }
        isOpen = false
        try? FileManager.default.removeItem(atPath: path)
        say("done\n")
        keeper.end()
    }
}

internal import Capture
internal import FoundationEssentials
internal import Glibc
internal import ProxydEventLoops

/// A proxyd that this program starts for another program, and ends after it.
final class OwnDaemon {
    /// How long it may take until it listens.
    private static let startPatience = Duration.seconds(30)
    /// How long it may take to finish what is under way, and then to stop anyway.
    private static let endPatience = Duration.seconds(5)
    private static let prefix = "proxyd: listening on "

    /// The address on which it listens.
    let address: SocketAddress
    /// Its data directory.
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
        var command = [
            program, "--listen", "127.0.0.1:0", "--data-dir", self.directory.path,
        ]
        if directory == nil {
            // Nothing on the machine but the environment decides what it does.
            let file = folder.path + "/proxyd.toml"
            _ = FileManager.default.createFile(
                atPath: file, contents: Data(), attributes: [.posixPermissions: 0o600])
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

internal import ProxydConfinement
internal import ProxydSystem
internal import FoundationEssentials
internal import Glibc

/// A program that was started, with no signal blocked or ignored.
///
/// Does not use Foundation's `Process`, which waits on a separate thread, and forever if that
/// thread cannot be created; it would also bring ICU, of 34 MB, with it.
final class ChildProgram {
    /// Descriptors for the program's standard streams; nil for empty input, or output no one reads.
    struct Streams {
        var input: Int32?
        var output: Int32?
        var errors: Int32?

        /// This program's own.
        static let own = Streams(input: STDIN_FILENO, output: STDOUT_FILENO, errors: STDERR_FILENO)
    }

    /// The time between checks whether it has ended, in microseconds.
    private static let stepUs: UInt32 = 10_000

    let pid: pid_t
    private var exitCode: Int32?

    /// - Parameters:
    ///   - command: The program's path, or its name in the search path, and its arguments.
    ///   - hasOwnGroup: Whether it gets none of the signals that a terminal sends to this program.
    init(
        _ command: [String], environment: [String: String] = ProcessInfo.processInfo.environment,
        streams: Streams = .own, hasOwnGroup: Bool = false
    ) throws {
        let start = ProgramStart(
            streams: [streams.input, streams.output, streams.errors],
            environment: environment.map { "\($0)=\($1)" }, hasOwnGroup: hasOwnGroup,
            inheritsDescriptors: true)
        do throws(SystemError) {
            pid = try start.run(command)
        } catch {
            throw CommandFailure(
                "\(command[0]): \(error)", code: error.number == ENOENT ? .notFound : .notStarted)
        }
    }

    /// The exit code, or 128 plus the number of the signal that ended it; nil while it is running.
    func end() -> Int32? {
        if let exitCode { return exitCode }
        var status: Int32 = 0
        let result = waitpid(pid, &status, WNOHANG)
        guard result == pid else {
            if result < 0, errno != EINTR { exitCode = -1 }
            return exitCode
        }
        let signal = status & 0x7F
        exitCode = signal == 0 ? status >> 8 & 0xFF : signal &+ 128
        return exitCode
    }

    /// Waits for a program that is about to end, because the system keeps its status until then.
    /// Returns false if it takes longer.
    static func reap(_ pid: pid_t, within duration: Duration) -> Bool {
        let deadline = ContinuousClock.now + duration
        while waitpid(pid, nil, WNOHANG) == 0 {
            guard .now < deadline else { return false }
            usleep(1_000)
        }
        return true
    }

    /// Sends a signal, unless it has ended.
    func send(_ signal: Int32) {
        if end() == nil { kill(pid, signal) }
    }

    /// Waits for its end; returns nil if it takes longer, or if `isStopped` returns true.
    func wait(for duration: Duration? = nil, _ isStopped: () -> Bool = { false }) -> Int32? {
        let deadline = duration.map { ContinuousClock.now + $0 }
        while true {
            if let exitCode = end() { return exitCode }
            if isStopped() || deadline.map({ $0 <= .now }) ?? false { return nil }
            usleep(ChildProgram.stepUs)
        }
    }
}

/// The two ends of a pipe to a child process; neither is inherited unless it is passed on.
struct ChildPipe {
    let reading: Int32
    let writing: Int32

    /// Returns nil if no descriptors are left.
    init?() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (reading, writing) = (ends[0], ends[1])
    }
}

/// A shell that outlives this process, however that ends: it notices by the end of a pipe that only
/// this process keeps open.
struct KeeperShell {
    let pid: pid_t
    let pipeEnd: Int32

    /// - Parameter path: The only argument of the script.
    init(
        _ script: String, _ path: String,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws {
        guard let ends = ChildPipe() else { throw CommandFailure("no descriptors are left") }
        defer { close(ends.reading) }
        pipeEnd = ends.writing
        do {
            pid = try ChildProgram(
                ["/bin/sh", "-c", script, "sh", path], environment: environment,
                streams: .init(input: ends.reading), hasOwnGroup: true
            ).pid
        } catch {
            close(ends.writing)
            throw error
        }
    }

    func end() {
        close(pipeEnd)
        _ = ChildProgram.reap(pid, within: .seconds(2))
    }
}

/// The output of a program to one of its descriptors, read without blocking.
final class OutputPipe {
    /// How long to wait for output before checking whether the program has ended.
    private static let stepMs: Int32 = 20
    /// The same after its pipes have ended: usually the program has ended, too, or is about to.
    private static let lastStepMs: Int32 = 1

    private let readEnd: Int32
    /// The program's end of the pipe; closed here once the program has started.
    private(set) var writeEnd: Int32
    private(set) var bytes: [UInt8] = []
    /// Whether no process can write to the pipe anymore.
    private(set) var isAtEnd = false

    /// Returns nil if no descriptors are left.
    init?() {
        guard let ends = ChildPipe() else { return nil }
        (readEnd, writeEnd) = (ends.reading, ends.writing)
        _ = fcntl(readEnd, F_SETFL, O_NONBLOCK)
    }

    deinit {
        close(readEnd)
        closeWriteEnd()
    }

    func closeWriteEnd() {
        if writeEnd >= 0 { close(writeEnd) }
        writeEnd = -1
    }

    /// Reads what is available.
    func read() {
        var room = [UInt8](repeating: 0, count: 32_768)
        while !isAtEnd {
            let count = Glibc.read(readEnd, &room, room.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                isAtEnd = count == 0 || errno != EAGAIN
                return
            }
            bytes += room[..<count]
        }
    }

    /// Waits for a short time until there is something to read.
    static func wait(for pipes: OutputPipe...) {
        // poll(2) ignores negative descriptors.
        var watched = pipes.map {
            pollfd(fd: $0.isAtEnd ? -1 : $0.readEnd, events: Int16(POLLIN), revents: 0)
        }
        let isOver = pipes.allSatisfy(\.isAtEnd)
        poll(&watched, nfds_t(watched.count), isOver ? lastStepMs : stepMs)
    }
}

struct ProgramResult: Sendable, Equatable {
    /// Its exit code, or 128 plus the number of the signal that ended it.
    var exitCode: Int32
    var output: [UInt8]
    var errors: [UInt8]

    var outputText: String { String(decoding: output, as: UTF8.self) }

    /// The last non-empty line of standard error.
    var lastErrorLine: String {
        let lines = String(decoding: errors, as: UTF8.self).split(whereSeparator: \.isNewline)
        return lines.last.map(String.init) ?? "exit code \(exitCode)"
    }
}

/// Runs other programs with argument arrays, never through a shell.
protocol ProgramRunner: Sendable {
    /// The path of a program in the search path, or nil if it is not installed.
    func find(_ name: String) -> String?
    /// Runs a program to its end; returns nil if it cannot be started or does not end in time.
    func run(_ path: String, _ arguments: [String], environment: [String: String]?)
        -> ProgramResult?
}

extension ProgramRunner {
    /// Runs a program in the current environment.
    func run(_ path: String, _ arguments: [String]) -> ProgramResult? {
        run(path, arguments, environment: nil)
    }
}

/// Runs programs of this system, each for at most half a minute, with empty input.
struct SystemProgramRunner: ProgramRunner {
    private static let patience = Duration.seconds(30)
    /// How long a program's pipes are read after its end, if its child processes keep them open.
    private static let grace = Duration.seconds(1)

    func find(_ name: String) -> String? {
        // sbin contains update-ca-certificates and is not in every user's path.
        let search = (ProcessInfo.processInfo.environment["PATH"] ?? "") + ":/usr/sbin:/sbin"
        for directory in search.split(separator: ":") {
            let path = "\(directory)/\(name)"
            if FileManager.default.isExecutableFile(atPath: path) { return path }
        }
        return nil
    }

    func run(
        _ path: String, _ arguments: [String], environment: [String: String]?
    ) -> ProgramResult? {
        guard let output = OutputPipe(), let errors = OutputPipe(),
            let child = try? ChildProgram(
                [path] + arguments, environment: environment ?? ProcessInfo.processInfo.environment,
                streams: .init(output: output.writeEnd, errors: errors.writeEnd))
        else { return nil }
        output.closeWriteEnd()
        errors.closeWriteEnd()
        var deadline = ContinuousClock.now + SystemProgramRunner.patience
        var exitCode: Int32?
        while exitCode == nil || !output.isAtEnd || !errors.isAtEnd, .now < deadline {
            OutputPipe.wait(for: output, errors)
            output.read()
            errors.read()
            guard exitCode == nil else { continue }
            exitCode = child.end()
            if exitCode != nil { deadline = min(deadline, .now + SystemProgramRunner.grace) }
        }
        guard let exitCode else {
            // Its end is not awaited: proxyctl itself ends soon.
            child.send(SIGTERM)
            return nil
        }
        return ProgramResult(exitCode: exitCode, output: output.bytes, errors: errors.bytes)
    }
}

/// Programs that are installed together with this one.
enum SiblingProgram {
    /// The path of the program next to this one, or else in the search path; nil if there is none.
    static func path(_ name: String) -> String? {
        let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        if let beside = own.map({ "\($0.parentFolder)/\(name)" }),
            FileManager.default.isExecutableFile(atPath: beside)
        {
            return beside
        }
        return Environment.current.runner.find(name)
    }
}

/// A private file for the user's editor, `$VISUAL` or `$EDITOR`.
final class EditorDraft {
    /// The path of the file, in a folder that only its owner can read.
    let path: String
    private let folder: String
    private let editor: String

    /// Writes the text to be edited.
    /// - Parameter name: The file's name; editors depend on its extension.
    /// - Throws: `CommandFailure` if no editor is configured, or the file cannot be written.
    init(_ contents: [UInt8], named name: String) throws {
        guard let editor = Environment.current.editor else {
            throw CommandFailure("set $VISUAL or $EDITOR")
        }
        self.editor = editor
        folder = try ServeSource.makeDirectory(prefix: "proxyctl-edit")
        path = "\(folder)/\(name)"
        guard (try? AtomicFile.write(contents, to: path)) != nil else {
            throw CommandFailure("cannot write \(path)")
        }
    }

    /// Runs the editor and waits for it.
    /// - Throws: `CommandFailure` if it fails; the file is kept.
    func edit() throws {
        // The editor may have arguments; the file is a single argument, whatever its name contains.
        let command = ["/bin/sh", "-c", "\(editor) \"$1\"", "sh", path]
        let status = try ChildProgram(command).wait() ?? -1
        guard status == 0 else { throw CommandFailure("the editor exited with status \(status)") }
    }

    func remove() { try? FileManager.default.removeItem(atPath: folder) }
}

extension String {
    /// The folder of a path, without a slash at its end; empty for a name alone.
    var parentFolder: String {
        guard let slash = lastIndex(of: "/") else { return "" }
        return slash == startIndex ? "/" : String(self[..<slash])
    }
}

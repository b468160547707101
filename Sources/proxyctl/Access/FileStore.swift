internal import Capture
internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// The store of the file that a command reads without importing it, in a folder that is removed
/// when the command ends.
///
/// A folder left by a killed command is removed when the next command creates one.
final class FileStore: Sendable {
    /// The store of the current command.
    @TaskLocal static var current = FileStore()

    private static let prefix = "proxyctl-file-"

    private struct Opened {
        let directory: DataDirectory
        let keeper: Keeper
    }

    /// The shell that removes the folder, and the pipe whose end tells it to.
    private struct Keeper {
        let shell: pid_t
        let pipeEnd: Int32
    }

    private let opened = Mutex<Opened?>(nil)
    private let missing = Mutex<[String]>([])

    /// What the file has that could not be read, for people; empty if everything was.
    var gaps: [String] { missing.withLock { $0 } }

    /// Reads a HAR or JSON Lines file into the store; `-` is standard input. Called at most once.
    func directory(of file: String, _ environment: Environment) throws -> DataDirectory {
        let input = try InputFile(file, environment)
        FileStore.removeAbandoned()
        let directory = try FileStore.make()
        let keeper = try FileStore.removeAtEnd(directory)
        opened.withLock { $0 = Opened(directory: directory, keeper: keeper) }
        var run = ImportRun(destination: try ImportDestination.open(directory), fileName: file)
        try Interruption.watched { try run.read(input, isInterrupted: $0) }
        let report = run.report
        guard report.keptCount > 0 else {
            throw CommandFailure("\(file) has no exchanges")
        }
        missing.withLock { missing in
            if report.isDamaged { missing.append("\(file) is damaged") }
            guard report.refusedCount > 0 else { return }
            let count = report.refusedCount
            missing.append("\(count) of the exchanges in \(file) could not be read")
        }
        return directory
    }

    /// Removes the folder of this command.
    func remove() {
        guard let opened = opened.withLock({ $0.take() }) else { return }
        try? FileManager.default.removeItem(atPath: opened.directory.path)
        close(opened.keeper.pipeEnd)
        _ = ChildProgram.reap(opened.keeper.shell, within: .seconds(2))
    }

    /// Has a shell remove the folder once this process has ended, whatever ends it: the shell waits
    /// for the end of a pipe that only this process holds open.
    private static func removeAtEnd(_ directory: DataDirectory) throws -> Keeper {
        let command = [
            "/bin/sh", "-c", "trap '' HUP INT TERM QUIT PIPE; read end; rm -rf -- \"$1\"", "sh",
            directory.path,
        ]
        guard let ends = ChildPipe() else { throw CommandFailure("no descriptors are left") }
        defer { close(ends.reading) }
        do {
            let shell = try ChildProgram(
                command, streams: .init(input: ends.reading), hasOwnGroup: true)
            return Keeper(shell: shell.pid, pipeEnd: ends.writing)
        } catch {
            close(ends.writing)
            throw error
        }
    }

    private static func make() throws -> DataDirectory {
        var template = Array("\(folder)/\(prefix)\(getpid())-XXXXXX".utf8CString)
        let path = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
        }
        guard let path else {
            throw CommandFailure("\(folder): \(String(cString: strerror(errno)))")
        }
        return DataDirectory(path: path)
    }

    private static var folder: String {
        let path = FileManager.default.temporaryDirectory.path
        return path.hasSuffix("/") ? String(path.dropLast()) : path
    }

    /// Removes this program's folders whose processes no longer exist.
    private static func removeAbandoned() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for name in names where name.hasPrefix(prefix) {
            let number = name.dropFirst(prefix.count).prefix { $0.isASCII && $0.isNumber }
            guard let process = pid_t(number), kill(process, 0) != 0, errno == ESRCH else {
                continue
            }
            try? FileManager.default.removeItem(atPath: "\(folder)/\(name)")
        }
    }
}

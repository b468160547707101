internal import Capture
internal import ProxydInterchange
internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// The store of the file that a command reads without importing it, in a folder that is removed
/// when the command ends.
///
/// A folder left by a killed command is removed when the next command creates one.
final class FileStore: Sendable {
    @TaskLocal static var current = FileStore()

    private static let prefix = "proxyctl-file-"

    /// Removes the folder once this process has ended.
    private static let script = "trap '' HUP INT TERM QUIT PIPE; read end; rm -rf -- \"$1\""

    private struct Opened {
        let directory: DataDirectory
        let keeper: KeeperShell
    }

    private let opened = Mutex<Opened?>(nil)
    private let missing = Mutex<[String]>([])

    /// What could not be read of the file, for people; empty if everything was.
    var gaps: [String] { missing.withLock { $0 } }

    /// Makes the folder. Called at most once.
    func makeDirectory() throws -> DataDirectory {
        FileStore.removeAbandoned()
        let directory = try FileStore.make()
        let keeper = try KeeperShell(FileStore.script, directory.path)
        opened.withLock { $0 = Opened(directory: directory, keeper: keeper) }
        return directory
    }

    /// Reads a HAR or JSON Lines file into the store; `-` is standard input. Called at most once.
    func directory(of file: String, _ environment: Environment) throws -> DataDirectory {
        let input = try InputFile(file, environment)
        let directory = try makeDirectory()
        var run = ImportRun(destination: try ImportDestination.open(directory), fileName: file)
        try Interruption.watched { try run.read(input, isInterrupted: $0) }
        let report = run.report
        guard report.keptCount > 0 else { throw CommandFailure("\(file) has no exchanges") }
        missing.withLock { missing in
            if report.isDamaged { missing.append("\(file) is damaged") }
            guard report.refusedCount > 0 else { return }
            let count = report.refusedCount
            missing.append("\(count) of the exchanges in \(file) could not be read")
        }
        return directory
    }

    func remove() {
        guard let opened = opened.withLock({ $0.take() }) else { return }
        try? FileManager.default.removeItem(atPath: opened.directory.path)
        opened.keeper.end()
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

/// A file, or standard input, that is read once from its start.
final class InputFile {
    private static let chunkByteCount = 256 << 10

    /// The size of the file in bytes, or nil if it is unknown before its end.
    let byteCount: Int64?
    /// The number of bytes read so far.
    private(set) var position: Int64 = 0
    /// Its name; `-` is standard input.
    let name: String
    private let descriptor: Int32
    private let isOurs: Bool

    init(_ name: String, _ environment: Environment) throws {
        self.name = name
        isOurs = name != "-"
        descriptor = isOurs ? open(name, O_RDONLY | O_CLOEXEC) : environment.inputDescriptor
        var facts = stat()
        let isKnown = descriptor >= 0 && fstat(descriptor, &facts) == 0
        byteCount = isKnown && facts.st_mode & S_IFMT == S_IFREG ? Int64(facts.st_size) : nil
        guard descriptor >= 0 else { throw failure(errno) }
    }

    deinit { if isOurs, descriptor >= 0 { close(descriptor) } }

    /// The contents of a file that is at most so long; `-` is standard input.
    /// - Parameter problem: What is thrown if it is longer.
    static func contents(
        of name: String, upTo byteCountMax: Int, else problem: CommandFailure
    ) throws -> [UInt8] {
        let input = try InputFile(name, .current)
        var bytes: [UInt8] = []
        while let piece = try input.next() {
            bytes += piece
            guard bytes.count <= byteCountMax else { throw problem }
        }
        return bytes
    }

    /// The file with random access; nil if it is a pipe or the like.
    var archive: InputArchive? {
        byteCount.map { InputArchive(input: self, byteCount: $0, descriptor: descriptor) }
    }

    /// Returns the next bytes, or nil at the end.
    func next() throws -> [UInt8]? {
        while true {
            var count = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: InputFile.chunkByteCount) {
                count = Glibc.read(descriptor, $0.baseAddress, $0.count)
                $1 = max(0, count)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure(errno) }
            position += Int64(count)
            return count == 0 ? nil : bytes
        }
    }

    fileprivate func failure(_ number: Int32) -> CommandFailure {
        CommandFailure("\(name): \(String(cString: strerror(number)))")
    }
}

/// A file with random access.
struct InputArchive: ArchiveFile {
    fileprivate let input: InputFile
    let byteCount: Int64
    fileprivate let descriptor: Int32

    func read(at offset: Int64, count: Int) throws -> [UInt8] {
        var read = 0
        var problem: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: max(0, count)) { buffer, filled in
            while read < buffer.count, problem == 0 {
                let rest = UnsafeMutableRawBufferPointer(
                    rebasing: UnsafeMutableRawBufferPointer(buffer)[read...])
                let got = pread(
                    descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(read))
                if got == 0 { break }
                if got > 0 { read += got } else if errno != EINTR { problem = errno }
            }
            filled = read
        }
        guard problem == 0 else { throw input.failure(problem) }
        return bytes
    }
}

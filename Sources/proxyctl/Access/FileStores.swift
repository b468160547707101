internal import Capture
internal import Foundation
internal import Synchronization

/// Stores of the files that a command looks into without importing them: each in a folder of its
/// own, which is gone when the command ends.
///
/// A folder that a killed command left behind goes when the next one makes its own.
final class FileStores: Sendable {
    /// Those of the command that runs.
    @TaskLocal static var current = FileStores()

    private static let prefix = "proxyctl-file-"

    private let opened = Mutex<[String: DataDirectory]>([:])

    /// The store of a HAR or JSON lines file; `-` is standard input, once.
    func directory(of file: String, _ environment: Environment) throws -> DataDirectory {
        if let known = opened.withLock({ $0[file] }) { return known }
        let input = try InputFile(file, environment)
        FileStores.removeAbandoned()
        let directory = try FileStores.make()
        opened.withLock { $0[file] = directory }
        var run = ImportRun(destination: try ImportDestination.open(directory), fileName: file)
        let report = try Interruption.watched { try run.read(input, isInterrupted: $0) }
        guard report.keptCount > 0 else {
            throw CommandFailure("\(file) has no exchanges: it is neither HAR nor JSON lines")
        }
        return directory
    }

    /// Removes the folders of this command.
    func removeAll() {
        let directories = opened.withLock { opened in
            defer { opened = [:] }
            return Array(opened.values)
        }
        for directory in directories { try? FileManager.default.removeItem(atPath: directory.path) }
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

    /// Removes our folders of processes that are no more.
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

internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// A file being written, readable only by its owner.
final class TemporaryFile: Sendable {
    /// The path of the file.
    let path: String
    private let state: Mutex<State>

    private struct State {
        var descriptor: Int32
        var byteCount: Int64
    }

    /// Creates a new file in the temporary directory.
    init() throws(ClientError) {
        let directory = FileManager.default.temporaryDirectory.path(percentEncoded: false)
        path = directory + "/ClientLib_\(UUID().uuidString).download"
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw TemporaryFile.failure(.writingTemporaryFile, errno) }
        state = Mutex(State(descriptor: descriptor, byteCount: 0))
    }

    /// Opens an existing file to append after its first `byteCount` bytes.
    init(appendingTo path: String, byteCount: Int64) throws(ClientError) {
        self.path = path
        let descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw TemporaryFile.failure(.writingTemporaryFile, errno) }
        state = Mutex(State(descriptor: descriptor, byteCount: byteCount))
        var status = stat()
        guard fstat(descriptor, &status) == 0, Int64(status.st_size) >= byteCount,
            ftruncate(descriptor, off_t(byteCount)) == 0,
            lseek(descriptor, off_t(byteCount), SEEK_SET) >= 0
        else {
            throw ClientError(
                .fileSystem(.reading), message: "the partial download was changed")
        }
    }

    deinit { close() }

    /// Bytes written so far.
    var byteCount: Int64 { state.withLock { $0.byteCount } }

    /// Appends bytes.
    func write(_ bytes: [UInt8]) throws(ClientError) {
        let failure: Int32 = state.withLock { state in
            bytes.withUnsafeBufferPointer { buffer in
                var done = 0
                while done < buffer.count, let start = buffer.baseAddress {
                    let result = Glibc.write(state.descriptor, start + done, buffer.count - done)
                    if result < 0 {
                        if errno == EINTR { continue }
                        return errno
                    }
                    done += result
                    state.byteCount += Int64(result)
                }
                return 0
            }
        }
        guard failure == 0 else { throw TemporaryFile.failure(.writingTemporaryFile, failure) }
    }

    /// Closes the file.
    func close() {
        state.withLock { state in
            guard state.descriptor >= 0 else { return }
            Glibc.close(state.descriptor)
            state.descriptor = -1
        }
    }

    /// Deletes the file.
    func remove() { unlink(path) }

    /// Moves the file. Removing an existing file and creating directories happen only if the
    /// options ask for them.
    func move(to url: URL, _ options: DownloadRequest.Options) throws(ClientError) {
        let manager = FileManager.default
        let target = url.path(percentEncoded: false)
        if options.contains(.removePreviousFile), manager.fileExists(atPath: target) {
            try TemporaryFile.attempt(.removingPrevious) { try manager.removeItem(atPath: target) }
        }
        if options.contains(.createIntermediateDirectories) {
            let directory = url.deletingLastPathComponent().path(percentEncoded: false)
            try TemporaryFile.attempt(.creatingDirectories) {
                try manager.createDirectory(
                    atPath: directory, withIntermediateDirectories: true)
            }
        }
        try TemporaryFile.attempt(.moving) { try manager.moveItem(atPath: path, toPath: target) }
    }

    private static func attempt(
        _ problem: ClientError.FileProblem, _ body: () throws -> Void
    ) throws(ClientError) {
        do {
            try body()
        } catch {
            throw ClientError(.fileSystem(problem), underlying: error)
        }
    }

    private static func failure(_ problem: ClientError.FileProblem, _ number: Int32) -> ClientError
    {
        ClientError(.fileSystem(problem), message: String(cString: strerror(number)))
    }
}

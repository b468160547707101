public import ProxydParameterCoding
public import FoundationEssentials
internal import Glibc
internal import Synchronization

extension FileFact {
    /// The kind of file that is at a path now; follows links.
    public init(ofFileAt path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            self = .unreadable
            return
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            self = .notAFile
            return
        }
        self = access(path, R_OK) == 0 ? .file(byteCount: Int64(status.st_size)) : .unreadable
    }
}

extension MultipartFormData {
    /// Adds a file and determines its size now. It is opened when it is about to be sent; if its
    /// size has changed by then, that is an error.
    /// - Parameters:
    ///   - filename: defaults to the last component of the path.
    ///   - contentType: defaults to the type for the file name's extension.
    /// - Throws: `.fileNameMissing`, `.notAFile`, `.unreadable`.
    public mutating func append(
        fileAt path: String, name: String, filename: String? = nil, contentType: String? = nil
    ) throws(MultipartEncodingError) {
        try append(
            fileAt: path, name: name, filename: filename, contentType: contentType,
            fact: FileFact(ofFileAt: path))
    }
}

/// Supplies a multipart body in pieces: the delimiters and heads of the parts, and their contents.
struct MultipartSource: BodySource {
    private var segments: ArraySlice<MultipartSegment>
    private let streams: [Int: BodyStream]
    private var current: (segment: MultipartSegment, source: any BodySource, count: Int64)?

    init(_ form: MultipartFormData, streams: [Int: BodyStream]) throws(MultipartEncodingError) {
        segments = try form.segments()[...]
        self.streams = streams
    }

    mutating func next() async throws -> [UInt8]? {
        while true {
            if case (let segment, var source, var count)? = current {
                if let piece = try await source.next() {
                    count += Int64(piece.count)
                    current = (segment, source, count)
                    return piece
                }
                if case .stream = segment { try segment.verify(foundByteCount: count) }
                current = nil
            }
            guard let segment = segments.popFirst() else { return nil }
            switch segment {
            case .bytes(let bytes): return bytes
            case .file(let path, let offset, _):
                let file = try FileSource(path: path)
                try segment.verify(foundByteCount: file.byteCount)
                try file.skip(offset)
                current = (segment, file, 0)
            case .stream(let id, _):
                guard let stream = streams[id] else {
                    throw ClientError(
                        .multipartEncodingFailed,
                        message: "a part names a stream that is not there")
                }
                current = (segment, try await stream.open(), 0)
            }
        }
    }
}

extension MultipartFormData {
    /// Writes the whole body to a new file, to be sent later, or more than once, with
    /// `contentType`. The whole body is never in memory.
    /// - Throws: `.multipartEncodingFailed`, any error of a stream, and `.fileSystem` if the file
    ///   exists or cannot be written; a partly written file is then removed.
    public func writeEncodedData(to fileURL: URL, streams: [Int: BodyStream] = [:]) async throws {
        var source: MultipartSource
        do {
            source = try MultipartSource(self, streams: streams)
        } catch {
            throw ClientError(.multipartEncodingFailed, underlying: error)
        }
        let file = try Self.newFile(at: fileURL)
        do {
            while let piece = try await source.next() { try file.write(piece) }
            file.close()
        } catch {
            try? FileManager.default.removeItem(at: fileURL)
            throw ClientError.wrapping(error, as: .multipartEncodingFailed)
        }
    }

    private static func newFile(at fileURL: URL) throws(ClientError) -> TemporaryFile {
        do {
            try Data().write(to: fileURL, options: .withoutOverwriting)
        } catch {
            throw ClientError(.fileSystem(.writingTemporaryFile), underlying: error)
        }
        return try TemporaryFile(appendingTo: fileURL.path(percentEncoded: false), byteCount: 0)
    }
}

/// A file being written, readable only by its owner.
final class TemporaryFile: Sendable {
    let path: String
    private let state: Mutex<State>

    private struct State {
        var descriptor: Int32
        var byteCount: Int64
    }

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
            throw ClientError(.fileSystem(.reading), message: "the partial download was changed")
        }
    }

    deinit { close() }

    var byteCount: Int64 { state.withLock { $0.byteCount } }

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

    func close() {
        state.withLock { state in
            guard state.descriptor >= 0 else { return }
            Glibc.close(state.descriptor)
            state.descriptor = -1
        }
    }

    func remove() { unlink(path) }

    private static func failure(_ problem: ClientError.FileProblem, _ number: Int32) -> ClientError
    {
        ClientError(.fileSystem(problem), message: String(cString: strerror(number)))
    }
}

public import ProxydParameterCoding
internal import Glibc
internal import Synchronization

/// The body that a request sends after its head.
public enum HTTPBody: Sendable {
    case none
    case bytes([UInt8])
    /// The contents of a file, which is read while it is sent.
    case file(path: String)
    /// Bytes from a stream, read as the network accepts them.
    case stream(BodyStream)
    /// A multipart form (RFC 7578), with the streams that its parts name. Sets `Content-Type` if
    /// the request has none.
    case multipart(MultipartFormData, streams: [Int: BodyStream] = [:])

    public static func text(_ text: String) -> HTTPBody { .bytes(Array(text.utf8)) }

    /// Whether the body can be sent a second time, for a retry or a redirect.
    public var isReplayable: Bool {
        switch self {
        case .none, .bytes, .file: true
        case .stream(let stream): stream.isReplayable
        case .multipart(_, let streams): streams.values.allSatisfy(\.isReplayable)
        }
    }

    public var isNone: Bool { if case .none = self { true } else { false } }
}

/// A body that is read in pieces from a source as fast as the network accepts it.
public struct BodyStream: Sendable {
    /// The total number of bytes, or nil if it is not known; the body is then sent chunked.
    public let byteCount: Int64?
    /// Whether the stream can be opened again to send the body a second time.
    public let isReplayable: Bool
    private let opening: @Sendable () async throws -> any BodySource
    /// Records whether the stream was opened; ignored if it can be opened again.
    private let use: Use

    private final class Use: Sendable { let isSpent = Atomic<Bool>(false) }

    /// Creates a body whose source `open` returns anew each time the body is sent.
    public init(
        byteCount: Int64? = nil, isReplayable: Bool = true,
        open: @escaping @Sendable () async throws -> any BodySource
    ) {
        self.byteCount = byteCount
        self.isReplayable = isReplayable
        opening = open
        use = Use()
    }

    /// Whether the stream was read and cannot be read again.
    var isSpent: Bool { !isReplayable && use.isSpent.load(ordering: .relaxed) }

    /// Whether both values share one stream.
    func isSame(as other: BodyStream) -> Bool { use === other.use }

    /// Starts reading the body.
    /// - Throws: `.bodyNotReplayable`.
    func open() async throws -> any BodySource {
        if use.isSpent.exchange(true, ordering: .relaxed), !isReplayable {
            throw ClientError(.bodyNotReplayable)
        }
        return try await opening()
    }

    /// The same body with a length that was declared elsewhere.
    func declaring(byteCount: Int64) -> BodyStream {
        BodyStream(byteCount: byteCount, isReplayable: isReplayable, opening: opening, use: use)
    }

    private init(
        byteCount: Int64?, isReplayable: Bool,
        opening: @escaping @Sendable () async throws -> any BodySource, use: Use
    ) {
        self.byteCount = byteCount
        self.isReplayable = isReplayable
        self.opening = opening
        self.use = use
    }

    /// Can be sent only once unless `isReplayable` says that the sequence can be iterated again.
    public init<Pieces: AsyncSequence & Sendable>(
        _ pieces: Pieces, byteCount: Int64? = nil, isReplayable: Bool = false
    ) where Pieces.Element == [UInt8] {
        self.init(byteCount: byteCount, isReplayable: isReplayable) { SequenceSource(pieces) }
    }
}

/// Supplies the pieces of a body. Only one task at a time may call it.
public protocol BodySource {
    /// The next piece, or nil at the end. Empty pieces are skipped.
    mutating func next() async throws -> [UInt8]?
}

struct SequenceSource<Pieces: AsyncSequence>: BodySource where Pieces.Element == [UInt8] {
    private var iterator: Pieces.AsyncIterator

    init(_ pieces: Pieces) { iterator = pieces.makeAsyncIterator() }

    mutating func next() async throws -> [UInt8]? { try await iterator.next() }
}

final class FileSource: BodySource {
    static let pieceByteCount = 256 * 1_024

    private let descriptor: Int32
    let byteCount: Int64

    /// Opens a regular file.
    init(path: String) throws(ClientError) {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw FileSource.failure(errno) }
        self.descriptor = descriptor
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            byteCount = 0
            throw ClientError(.bodyUnavailable, message: "the body's file is not a regular file")
        }
        byteCount = Int64(status.st_size)
    }

    deinit { Glibc.close(descriptor) }

    func skip(_ byteCount: Int64) throws(ClientError) {
        guard lseek(descriptor, off_t(byteCount), SEEK_SET) >= 0 else {
            throw FileSource.failure(errno)
        }
    }

    func next() throws -> [UInt8]? {
        let descriptor = descriptor
        var failure: Int32 = 0
        let piece = [UInt8](unsafeUninitializedCapacity: FileSource.pieceByteCount) { room, count in
            let result = Glibc.read(descriptor, room.baseAddress, room.count)
            failure = result < 0 ? errno : 0
            count = max(0, result)
        }
        guard failure == 0 else { throw FileSource.failure(failure) }
        return piece.isEmpty ? nil : piece
    }

    static func byteCount(ofFile path: String) throws(ClientError) -> Int64 {
        try FileSource(path: path).byteCount
    }

    private static func failure(_ number: Int32) -> ClientError {
        ClientError(
            .bodyUnavailable,
            message: "the body's file cannot be read: \(String(cString: strerror(number)))")
    }
}

extension HTTPRequest {
    /// Throttles the body: it is sent in packets with a pause between them, so that a large upload
    /// leaves bandwidth for others.
    ///
    /// A file that cannot be read is left as it is, and fails when it is sent.
    public mutating func throttleBody(
        packetByteCount: Int = 16 << 10, delay: Duration = .milliseconds(200),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        if case .multipart(let form, _) = body {
            fields.setIfAbsent(name: "Content-Type", value: form.contentType)
        }
        guard let stream = body.stream else { return }
        let pace = ThrottledSource.Pace(
            packetByteCount: max(1, packetByteCount), delay: delay, clock: clock)
        body = .stream(
            BodyStream(byteCount: stream.byteCount, isReplayable: stream.isReplayable) {
                ThrottledSource(try await stream.open(), pace)
            })
    }
}

extension HTTPBody {
    /// The body as a stream, or nil if there is none or its file cannot be read.
    fileprivate var stream: BodyStream? {
        switch self {
        case .none: return nil
        case .stream(let stream): return stream
        case .bytes(let bytes):
            return BodyStream(byteCount: Int64(bytes.count)) { ByteSource(bytes) }
        case .file(let path):
            guard let count = try? FileSource.byteCount(ofFile: path) else { return nil }
            return BodyStream(byteCount: count) { try FileSource(path: path) }
        case .multipart(let form, let streams):
            return BodyStream(byteCount: form.byteCount, isReplayable: isReplayable) {
                do {
                    return try MultipartSource(form, streams: streams)
                } catch {
                    throw ClientError(.multipartEncodingFailed, underlying: error)
                }
            }
        }
    }
}

/// Supplies bytes in memory as one piece.
private struct ByteSource: BodySource {
    private var bytes: [UInt8]?

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func next() -> [UInt8]? { bytes.take() }
}

/// Supplies a body in packets with pauses between them.
struct ThrottledSource: BodySource {
    struct Pace: Sendable {
        let packetByteCount: Int
        let delay: Duration
        let clock: any Clock<Duration>
    }

    private var source: any BodySource
    private let pace: Pace
    private var rest: ArraySlice<UInt8> = []
    private var isFirst = true

    init(_ source: any BodySource, _ pace: Pace) {
        self.source = source
        self.pace = pace
    }

    mutating func next() async throws -> [UInt8]? {
        while rest.isEmpty {
            guard let piece = try await source.next() else { return nil }
            rest = piece[...]
        }
        if !isFirst { try await pace.clock.sleep(for: pace.delay) }
        isFirst = false
        defer { rest = rest.dropFirst(pace.packetByteCount) }
        return Array(rest.prefix(pace.packetByteCount))
    }
}

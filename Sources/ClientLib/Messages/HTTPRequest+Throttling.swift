internal import ProxydParameterCoding

extension HTTPRequest {
    /// Throttles the body: it is sent in packets with a pause between them, so that a large upload
    /// does not fill the line.
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

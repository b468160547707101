internal import ProxydParameterCoding

/// Supplies a multipart body in pieces: the delimiters and heads of the parts, and their contents.
struct MultipartSource: BodySource {
    private var segments: ArraySlice<MultipartSegment>
    private let streams: [Int: BodyStream]
    private var current: (segment: MultipartSegment, source: any BodySource, count: Int64)?

    init(
        _ form: MultipartFormData, streams: [Int: BodyStream]
    ) throws(MultipartEncodingError) {
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

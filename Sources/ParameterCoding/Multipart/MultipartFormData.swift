/// A multipart/form-data body that is to be sent (RFC 7578): its parts, its exact length, and
/// the segments that a sender writes one after the other without holding files in memory.
///
/// ```swift
/// var form = MultipartFormData()
/// form.append("Ada", name: "author")
/// try form.append(fileAt: path, name: "picture", fact: .file(byteCount: 48_213))
/// form.contentType   // multipart/form-data; boundary=FormBoundary…
/// form.byteCount     // what Content-Length needs
/// ```
public struct MultipartFormData: Sendable, Hashable {
    /// What parts the body.
    public let boundary: MultipartBoundary
    /// The parts in their order.
    public var parts: [MultipartPart] = []
    /// Whether a file name that ASCII and quotation marks cannot hold is written as `filename*`
    /// (RFC 8187), too. Off: RFC 7578 §4.2 forbids it, and browsers write UTF-8 as it is.
    public var writesExtendedFilenames: Bool

    /// A body without parts.
    public init(
        boundary: MultipartBoundary = .random(),
        writesExtendedFilenames: Bool = false
    ) {
        self.boundary = boundary
        self.writesExtendedFilenames = writesExtendedFilenames
    }

    /// The value of Content-Type.
    public var contentType: String { "multipart/form-data; boundary=\(boundary.parameterText)" }

    // MARK: Parts

    /// Adds a part as it is.
    public mutating func append(_ part: MultipartPart) { parts.append(part) }

    /// Adds a part from memory.
    public mutating func append(
        _ octets: [UInt8],
        name: String,
        filename: String? = nil,
        contentType: String? = nil
    ) {
        append(
            MultipartPart(
                name: name,
                filename: filename,
                contentType: contentType,
                content: .octets(octets)
            )
        )
    }

    /// Adds a field of text.
    public mutating func append(_ text: String, name: String) {
        append(Array(text.utf8), name: name)
    }

    /// Adds a file. It is opened when its turn to be sent comes.
    /// - Parameters:
    ///   - filename: the last component of the path, unless given.
    ///   - contentType: what the file name's extension says, unless given.
    ///   - fact: what the caller found at the path.
    /// - Throws: `.fileNameMissing`, `.notAFile`, `.unreadable`.
    public mutating func append(
        fileAt path: String,
        name: String,
        filename: String? = nil,
        contentType: String? = nil,
        fact: FileFact
    ) throws(MultipartEncodingError) {
        let byteCount: Int64
        switch fact {
        case .file(let count): byteCount = count
        case .notAFile: throw .notAFile(path: path)
        case .unreadable: throw .unreadable(path: path)
        }
        let filename = filename ?? MultipartFormData.lastComponent(of: path)
        guard !filename.isEmpty else { throw .fileNameMissing(path: path) }
        append(
            MultipartPart(
                name: name,
                filename: filename,
                contentType: contentType ?? FileMediaType.mediaType(ofFileNamed: filename),
                content: .file(path: path, byteCount: byteCount)
            )
        )
    }

    /// Adds what a stream will give. Without `byteCount` the body's length is unknown, too.
    public mutating func append(
        streamID: Int,
        byteCount: Int64?,
        name: String,
        filename: String? = nil,
        contentType: String? = nil
    ) {
        append(
            MultipartPart(
                name: name,
                filename: filename,
                contentType: contentType,
                content: .stream(id: streamID, byteCount: byteCount)
            )
        )
    }

    private static func lastComponent(of path: String) -> String {
        guard let last = path.split(separator: "/").last, !path.hasSuffix("/") else { return "" }
        return last == "." || last == ".." ? "" : String(last)
    }

    // MARK: The body

    private var writer: MultipartHeadWriter {
        MultipartHeadWriter(boundary: boundary, writesExtendedFilename: writesExtendedFilenames)
    }

    /// The exact length of the whole body in octets; nil where a stream's is unknown.
    public var byteCount: Int64? {
        var sum = Int64(writer.end(isEmpty: parts.isEmpty).count)
        for (index, part) in parts.enumerated() {
            guard let contentByteCount = part.content.byteCount else { return nil }
            sum += Int64(writer.head(of: part, isFirst: index == 0).count)
            let (total, isTooLarge) = sum.addingReportingOverflow(contentByteCount)
            guard !isTooLarge else { return nil }
            sum = total
        }
        return sum
    }

    /// The body in stretches, to be sent one after the other. No content is copied.
    /// - Throws: `.badField`, `.boundaryInContent`. Files and streams are not searched for the
    ///   boundary: a generated one is in none of them.
    public func segments() throws(MultipartEncodingError) -> [MultipartSegment] {
        var segments: [MultipartSegment] = []
        for (index, part) in parts.enumerated() {
            try MultipartPartCheck.check(part, at: index, boundary: boundary)
            segments.append(.octets(writer.head(of: part, isFirst: index == 0)))
            switch part.content {
            case .octets(let octets):
                if !octets.isEmpty { segments.append(.octets(octets)) }
            case .file(let path, let byteCount):
                segments.append(.file(path: path, offset: 0, byteCount: byteCount))
            case .stream(let id, let byteCount):
                segments.append(.stream(id: id, byteCount: byteCount))
            }
        }
        segments.append(.octets(writer.end(isEmpty: parts.isEmpty)))
        return segments
    }

    /// The whole body, where all of it is in memory.
    /// - Throws: `.notInMemory` for a file or a stream, and what `segments()` throws.
    public func encoded() throws(MultipartEncodingError) -> [UInt8] {
        for (index, part) in parts.enumerated() {
            guard case .octets = part.content else { throw .notInMemory(partIndex: index) }
        }
        var body: [UInt8] = []
        body.reserveCapacity(byteCount.map { Int(clamping: $0) } ?? 0)
        for segment in try segments() {
            if case .octets(let octets) = segment { body += octets }
        }
        return body
    }
}

/// A multipart/form-data body to send (RFC 7578): its parts, its exact length, and the segments
/// that a sender writes one after another without loading files into memory.
///
/// ```swift
/// var form = MultipartFormData()
/// form.append("Ada", name: "author")
/// try form.append(fileAt: path, name: "picture", fact: .file(byteCount: 48_213))
/// form.contentType   // multipart/form-data; boundary=FormBoundary…
/// form.byteCount     // what Content-Length needs
/// ```
public struct MultipartFormData: Sendable, Hashable {
    /// The boundary between the parts.
    public let boundary: MultipartBoundary
    /// The parts in their order.
    public var parts: [MultipartPart] = []
    /// Whether a file name that a quoted ASCII string cannot represent is also written as
    /// `filename*` (RFC 8187). Off by default: RFC 7578 §4.2 forbids it, and browsers write raw
    /// UTF-8.
    public var writesExtendedFilenames: Bool

    /// Creates a body without parts.
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

    /// Appends a part unchanged.
    public mutating func append(_ part: MultipartPart) { parts.append(part) }

    /// Appends a part with its content in memory.
    public mutating func append(
        _ bytes: [UInt8],
        name: String,
        filename: String? = nil,
        contentType: String? = nil
    ) {
        append(
            MultipartPart(
                name: name,
                filename: filename,
                contentType: contentType,
                content: .bytes(bytes)
            )
        )
    }

    /// Appends a text field.
    public mutating func append(_ text: String, name: String) {
        append(Array(text.utf8), name: name)
    }

    /// Appends a file, which is opened when it is sent.
    /// - Parameters:
    ///   - filename: Defaults to the last component of the path.
    ///   - contentType: Defaults to the type for the file name's extension.
    ///   - fact: What the caller found at the path.
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

    /// Appends the content of a stream. Without `byteCount` the length of the body is unknown.
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

    /// The exact length of the whole body in bytes; nil if the length of a stream is unknown.
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

    /// The segments of the body, to send one after another. No content is copied.
    /// - Throws: `.badField`, `.boundaryInContent`. Files and streams are not searched for the
    ///   boundary: a generated one does not occur in them.
    public func segments() throws(MultipartEncodingError) -> [MultipartSegment] {
        var segments: [MultipartSegment] = []
        for (index, part) in parts.enumerated() {
            try MultipartPartCheck.check(part, at: index, boundary: boundary)
            segments.append(.bytes(writer.head(of: part, isFirst: index == 0)))
            switch part.content {
            case .bytes(let bytes):
                if !bytes.isEmpty { segments.append(.bytes(bytes)) }
            case .file(let path, let byteCount):
                segments.append(.file(path: path, offset: 0, byteCount: byteCount))
            case .stream(let id, let byteCount):
                segments.append(.stream(id: id, byteCount: byteCount))
            }
        }
        segments.append(.bytes(writer.end(isEmpty: parts.isEmpty)))
        return segments
    }

    /// The whole body, if all of it is in memory.
    /// - Throws: `.notInMemory` for a file or a stream, and the errors of `segments()`.
    public func encoded() throws(MultipartEncodingError) -> [UInt8] {
        for (index, part) in parts.enumerated() {
            guard case .bytes = part.content else { throw .notInMemory(partIndex: index) }
        }
        var body: [UInt8] = []
        body.reserveCapacity(byteCount.map { Int(clamping: $0) } ?? 0)
        for segment in try segments() {
            if case .bytes(let bytes) = segment { body += bytes }
        }
        return body
    }
}

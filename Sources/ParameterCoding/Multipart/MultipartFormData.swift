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
    public let boundary: MultipartBoundary
    public var parts: [MultipartPart] = []
    /// Whether a file name that a quoted ASCII string cannot represent is also written as
    /// `filename*` (RFC 8187). Off by default: RFC 7578 §4.2 forbids it, and browsers write raw
    /// UTF-8.
    public var writesExtendedFilenames: Bool

    public init(boundary: MultipartBoundary = .random(), writesExtendedFilenames: Bool = false) {
        self.boundary = boundary
        self.writesExtendedFilenames = writesExtendedFilenames
    }

    public var contentType: String { "multipart/form-data; boundary=\(boundary.parameterText)" }

    // MARK: Parts

    public mutating func append(_ part: MultipartPart) { parts.append(part) }

    public mutating func append(
        _ bytes: [UInt8], name: String, filename: String? = nil, contentType: String? = nil
    ) {
        append(
            MultipartPart(
                name: name, filename: filename, contentType: contentType, content: .bytes(bytes)
            )
        )
    }

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
        fileAt path: String, name: String, filename: String? = nil, contentType: String? = nil,
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
                name: name, filename: filename,
                contentType: contentType ?? FileMediaType.mediaType(ofFileNamed: filename),
                content: .file(path: path, byteCount: byteCount)
            )
        )
    }

    /// Appends the content of a stream. Without `byteCount` the length of the body is unknown.
    public mutating func append(
        streamID: Int, byteCount: Int64?, name: String, filename: String? = nil,
        contentType: String? = nil
    ) {
        append(
            MultipartPart(
                name: name, filename: filename,
                contentType: contentType, content: .stream(id: streamID, byteCount: byteCount)
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

/// One part of a multipart body to send (RFC 7578 §4).
///
/// A part without `name` and `filename` has no Content-Disposition except the one in `fields`: the
/// head of a decoded part is written again line by line from its fields alone.
public struct MultipartPart: Sendable, Hashable {
    public var name: String?
    public var filename: String?
    public var contentType: String?
    /// Further lines of the head, after the others.
    public var fields: [MultipartPartHead.Field]
    public var content: MultipartContent

    public init(
        name: String?, filename: String? = nil,
        contentType: String? = nil, fields: [MultipartPartHead.Field] = [],
        content: MultipartContent
    ) {
        self.name = name
        self.filename = filename
        self.contentType = contentType
        self.fields = fields
        self.content = content
    }
}

/// The source of a part's bytes.
public enum MultipartContent: Sendable, Hashable {
    case bytes([UInt8])
    /// A file, opened when it is sent. `byteCount` is used for Content-Length.
    case file(path: String, byteCount: Int64)
    /// A stream that the sender looks up by its number. Without `byteCount` the length of the whole
    /// body is unknown.
    case stream(id: Int, byteCount: Int64?)

    /// The length in bytes; nil for a stream of unknown length.
    public var byteCount: Int64? {
        switch self {
        case .bytes(let bytes): Int64(bytes.count)
        case .file(_, let byteCount): byteCount
        case .stream(_, let byteCount): byteCount
        }
    }
}

/// What a caller knows about a file that is to become a part. This module does no I/O.
public enum FileFact: Sendable, Hashable {
    /// A readable regular file, and its length in bytes.
    case file(byteCount: Int64)
    /// A directory, a device or a socket.
    case notAFile
    /// A missing file, or one without read permission.
    case unreadable
}

/// One segment of a multipart body. Sent one after another, the segments are the body.
public enum MultipartSegment: Sendable, Hashable {
    case bytes([UInt8])
    /// The bytes of a file from `offset` on. The file is opened when it is sent, and must then
    /// still contain exactly `offset + byteCount` bytes: see `verify(foundByteCount:)`.
    case file(path: String, offset: Int64, byteCount: Int64)
    /// All bytes of a stream; exactly `byteCount` of them if the length is known.
    case stream(id: Int, byteCount: Int64?)

    /// The length in bytes; nil for a stream of unknown length.
    public var byteCount: Int64? {
        switch self {
        case .bytes(let bytes): Int64(bytes.count)
        case .file(_, _, let byteCount): byteCount
        case .stream(_, let byteCount): byteCount
        }
    }

    /// Checks the actual length against the declared one: the whole length of the opened file, or
    /// the number of bytes that the stream delivered.
    /// - Throws: `.fileLengthChanged`, `.streamLengthMismatch`.
    public func verify(foundByteCount: Int64) throws(MultipartEncodingError) {
        switch self {
        case .file(let path, let offset, let byteCount) where foundByteCount - offset != byteCount:
            throw .fileLengthChanged(
                path: path, expectedByteCount: offset + byteCount, foundByteCount: foundByteCount
            )
        case .stream(let id, let byteCount?) where foundByteCount != byteCount:
            throw .streamLengthMismatch(
                id: id, expectedByteCount: byteCount, foundByteCount: foundByteCount
            )
        case .bytes, .file, .stream: return
        }
    }
}

extension MultipartFormData {
    /// The rules for names and texts of parts made from parameters: those of
    /// `URLEncoding.default`, and a null is an empty part.
    public static let parameterEncoding: URLEncoding = {
        var encoding = URLEncoding.default
        encoding.nulls = .dropValue
        return encoding
    }()

    /// Appends a part for each pair that a form would have: names as in a form (`a[b]`, `a[]`),
    /// text as UTF-8, data as its bytes, a null as an empty part.
    ///
    /// The escaping of pairs and spaces has no effect: parts are not escaped. Inside arrays that
    /// are sent as JSON, data is text as the encoding specifies.
    /// - Returns: encodings that a receiver may interpret differently.
    /// - Throws: `ParameterEncodingError`, or an error of a custom rule.
    @discardableResult
    public mutating func append(
        parameters: Parameter, encoding: URLEncoding = parameterEncoding
    ) throws -> [ParameterWarning] {
        guard case .object = parameters else { throw ParameterEncodingError.rootIsNotObject }
        var encoding = encoding
        encoding.destination = .httpBody
        encoding.escapes = .strict
        encoding.spaces = .percentEscaped
        let resolved = ParameterBytes(arraysAreJSON: encoding.arrays.isJSON).escaped(parameters)
        let encoded = try encoding.encode(resolved, method: "POST")
        let pairs = encoded.body ?? []
        var scanner = PairScanner()
        var decoder = PercentDecoder(text: ByteText(), plusIsSpace: false)
        while let ranges = scanner.next(in: pairs.span) {
            let value = ranges.value.map { decoder.decodedBytes(pairs.span, $0) }
            append(value ?? [], name: decoder.decodedText(pairs.span, ranges.name))
        }
        return encoded.warnings
    }
}

/// Converts data in parameters to values of pairs that decode to exactly these bytes.
private struct ParameterBytes {
    let arraysAreJSON: Bool

    func escaped(_ value: Parameter, depth: Int = 0) -> Parameter {
        // The encoder rejects deeper values.
        guard depth <= URLEncoding.depthMax else { return value }
        switch value {
        case .data(let bytes), .raw(let bytes): return .raw(EscapeSet.strict.encoded(bytes))
        case .object(let members):
            return .object(members.map { .init($0.name, escaped($0.value, depth: depth + 1)) })
        case .array(let elements) where !arraysAreJSON:
            return .array(elements.map { escaped($0, depth: depth + 1) })
        case .set(let elements) where !arraysAreJSON:
            return .set(elements.map { escaped($0, depth: depth + 1) })
        default: return value
        }
    }
}

extension URLEncoding.ArrayEncoding {
    fileprivate var isJSON: Bool {
        if case .json = self { return true }
        return false
    }
}

/// Why a multipart body cannot be built or sent.
public enum MultipartEncodingError: Error, Sendable, Hashable {
    /// A boundary that RFC 2046 §5.1.1 does not allow.
    case badBoundary
    /// A field of a part's head whose name is not a token, or whose value contains a CR, LF or NUL.
    case badField(partIndex: Int, name: String)
    /// The content of a part contains the chosen boundary.
    case boundaryInContent(partIndex: Int)
    /// The bytes of a part were requested, but they are in a file or come from a stream.
    case notInMemory(partIndex: Int)
    /// A file part needs a file name, but none was given and the path does not end in one.
    case fileNameMissing(path: String)
    /// The path does not denote a regular file.
    case notAFile(path: String)
    /// The file does not exist, or cannot be read.
    case unreadable(path: String)
    /// The length of a file has changed since it became a part: Content-Length would be wrong.
    case fileLengthChanged(path: String, expectedByteCount: Int64, foundByteCount: Int64)
    /// A stream delivered more or fewer bytes than declared.
    case streamLengthMismatch(id: Int, expectedByteCount: Int64, foundByteCount: Int64)
}

extension MultipartEncodingError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .badBoundary: "the boundary is not valid"
        case .badField(let index, let name): "the field “\(name)” of part \(index + 1) is not valid"
        case .boundaryInContent(let index): "the content of part \(index + 1) holds the boundary"
        case .notInMemory(let index): "the content of part \(index + 1) is not in memory"
        case .fileNameMissing(let path): "a file part needs a file name, and \(path) ends in none"
        case .notAFile(let path): "\(path) is not a regular file"
        case .unreadable(let path): "\(path) cannot be read"
        case .fileLengthChanged(let path, let expected, let found):
            "\(path) had \(expected) bytes, and now has \(found)"
        case .streamLengthMismatch(_, let expected, let found):
            "a stream was to give \(expected) bytes, and gave \(found)"
        }
    }
}

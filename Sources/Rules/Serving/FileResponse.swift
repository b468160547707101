internal import ProxydCivilTime
public import ProxydHTTPModel

/// The response for a local file, as a server would give it (RFC 9110): conditions, ranges, and the
/// media type according to the name. Reading the file is left to the caller.
public struct FileResponse: Sendable, Hashable {
    /// The content of the response.
    public enum Content: Sendable, Hashable {
        /// Nothing.
        case none
        /// These bytes of the file; the range may be empty.
        case bytes(Range<Int64>)
        /// Nothing, because of HEAD; a GET would be answered with this many bytes.
        case head(byteCount: Int64)
    }

    /// The status code.
    public let status: Int
    /// The header fields in their order, without framing fields.
    public let fields: HeaderFields
    /// The content of the response.
    public let content: Content

    /// The value of Allow: the methods that are supported for files.
    private static let methods = "GET, HEAD"

    /// Answers a request.
    /// - Parameters:
    ///   - find: What was found at the path.
    ///   - url: The requested URL, as it was sent.
    ///   - request: The header fields of the request.
    ///   - extra: Header fields that the rule adds to responses that contain the file, or say that
    ///     it has not changed.
    public init(
        _ find: ServedFind, to method: HTTPMethod, _ url: RawURL, _ request: HeaderFields,
        extra: HeaderFields = HeaderFields()
    ) {
        guard method == .get || method == .head else {
            self.init(405, [("Allow", FileResponse.methods)])
            return
        }
        switch find {
        case .refused: self.init(403)
        case .missing: self.init(404)
        case .folderWithoutSlash:
            self.init(301, [("Location", FileResponse.locationOfFolder(url))])
        case .file(let file):
            self.init(file, isHead: method == .head, request, extra)
        }
    }

    private init(
        _ status: Int, _ pairs: [(name: String, value: String)] = [],
        _ content: Content = .none
    ) {
        self.status = status
        fields = HeaderFields(pairs)
        self.content = content
    }

    private init(
        _ file: ServedFile, isHead: Bool, _ request: HeaderFields, _ extra: HeaderFields
    ) {
        let modified = CivilTime(secondsSinceEpoch: file.modifiedSeconds).imfFixdate
        let conditions = FileConditions(request, modifiedSeconds: file.modifiedSeconds)
        switch conditions.outcome {
        case .failed:
            self.init(412)
            return
        case .notModified:
            self.init(304, [("Last-Modified", modified)] + extra.pairs)
            return
        case .met: break
        }
        // Range is only defined for GET (RFC 9110 §14.2).
        let asksForPart = !isHead && conditions.allowsRange
        let range = ByteRangeRequest(
            asksForPart ? request.values(named: "Range") : [], byteCount: file.byteCount)
        // The rule's fields take precedence over those derived from the file.
        let own = [
            (name: "Content-Type", value: ServedType.contentType(ofFileNamed: file.name)),
            (name: "Last-Modified", value: modified),
        ].filter { extra[$0.name] == nil }
        let pairs = own + extra.pairs + [("Accept-Ranges", "bytes")]
        switch range {
        case .whole:
            let content =
                isHead ? Content.head(byteCount: file.byteCount) : .bytes(0..<file.byteCount)
            self.init(200, pairs, content)
        case .part(let part):
            let value = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(file.byteCount)"
            self.init(206, pairs + [("Content-Range", value)], .bytes(part))
        case .unsatisfiable:
            self.init(416, [("Content-Range", "bytes */\(file.byteCount)")])
        }
    }

    /// The path with a `/` appended, and the query. Two slashes at the start would name another
    /// host (RFC 3986 §4.2).
    private static func locationOfFolder(_ url: RawURL) -> String {
        let path = url.path.drop { $0 == UInt8(ascii: "/") }
        let folder = RawURL(
            scheme: "", host: "", port: 0,
            origin: Array("/".utf8) + path + Array("/".utf8)
                + (url.query.map { Array("?".utf8) + $0 } ?? []))
        return folder.description
    }
}

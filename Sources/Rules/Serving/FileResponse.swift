internal import ProxydCivilTime
public import ProxydHTTPModel

/// How a file of one's own is answered with, as a server would (RFC 9110): conditions, ranges and
/// the type by its name. The file itself is read elsewhere.
public struct FileResponse: Sendable, Hashable {
    /// What is sent as content.
    public enum Content: Sendable, Hashable {
        /// Nothing.
        case none
        /// These bytes of the file, which may be none.
        case bytes(Range<Int64>)
        /// Nothing, as HEAD asks for no content; with GET it were so many bytes.
        case head(byteCount: Int64)
    }

    /// The status.
    public let status: Int
    /// The fields but for those of framing, in their order.
    public let fields: HeaderFields
    /// What is sent as content.
    public let content: Content

    /// The methods that files can be asked for with.
    private static let methods = "GET, HEAD"

    /// Answers a request.
    /// - Parameters:
    ///   - find: What is there.
    ///   - url: What was asked for, as it was sent.
    ///   - request: The fields of the request.
    ///   - extra: What the rule adds to answers that show the file, or say that it did not change.
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
        // A range is defined for GET alone (RFC 9110 §14.2).
        let asksForPart = !isHead && conditions.allowsRange
        let range = ByteRangeRequest(
            asksForPart ? request.values(named: "Range") : [], byteCount: file.byteCount)
        // What the rule says goes before what the name of the file says.
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

    /// The path with a `/` behind it, and the query. Two slashes at its start would name another
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

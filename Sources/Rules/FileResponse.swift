internal import ProxydCivilTime
public import ProxydHTTPModel
internal import ProxydParameterCoding

/// The response for a local file, as a server would give it (RFC 9110): conditions, ranges, and the
/// media type according to the name. Reading the file is left to the caller.
public struct FileResponse: Sendable, Hashable {
    public enum Content: Sendable, Hashable {
        case none
        /// These bytes of the file; the range may be empty.
        case bytes(Range<Int64>)
        /// Nothing, because of HEAD; a GET would be answered with this many bytes.
        case head(byteCount: Int64)
    }

    public let status: Int
    /// The header fields in their order, without framing fields.
    public let fields: HeaderFields
    public let content: Content

    /// The value of Allow: the methods that are supported for files.
    private static let methods = "GET, HEAD"

    /// - Parameter extra: Header fields that the rule adds to responses that contain the file, or
    ///   say that it has not changed.
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
        case .folderWithoutSlash: self.init(301, [("Location", FileResponse.locationOfFolder(url))])
        case .file(let file): self.init(file, isHead: method == .head, request, extra)
        }
    }

    private init(
        _ status: Int, _ pairs: [(name: String, value: String)] = [], _ content: Content = .none
    ) {
        self.status = status
        fields = HeaderFields(pairs)
        self.content = content
    }

    private init(_ file: ServedFile, isHead: Bool, _ request: HeaderFields, _ extra: HeaderFields) {
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
        case .unsatisfiable: self.init(416, [("Content-Range", "bytes */\(file.byteCount)")])
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

/// The path inside a served folder that a request's path leads to.
public struct ServedPath: Sendable, Hashable {
    /// The names of folders and, last, of a file, percent-decoded once, as bytes, because a file
    /// name need not be valid text. None is empty, `.` or `..`, and none contains `/`, `\` or NUL.
    /// An empty list is the folder itself.
    public let names: [[UInt8]]
    /// Whether it names a folder: the path ends in `/`.
    public let isFolder: Bool

    /// Nil if the path is refused, with 403: it contains `..`, `\` or NUL in any spelling, or an
    /// escaped `/`. Each of them could lead out of the folder if another program interprets the
    /// path differently.
    /// - Parameters:
    ///   - path: The path of the request, as it was sent.
    ///   - prefix: Removed from the start if present, whole names only: `/static` leaves `/a` of
    ///     `/static/a`, and all of `/statics/a`.
    public init?(_ path: some Collection<UInt8>, stripping prefix: String? = nil) {
        let slash = UInt8(ascii: "/")
        let raw = path.split(separator: slash, omittingEmptySubsequences: true)
        var names: [[UInt8]] = []
        for name in raw {
            guard let decoded = ServedPath.decoded(name) else { return nil }
            // `.` names the folder itself and is dropped.
            if decoded != [UInt8(ascii: ".")] { names.append(decoded) }
        }
        let endsInFolder = raw.last.map { ServedPath.decoded($0) == [UInt8(ascii: ".")] } ?? false
        let stripped = (prefix ?? "").utf8.split(separator: slash).map { Array($0) }
        let isStripped = !stripped.isEmpty && names.starts(with: stripped)
        self.names = isStripped ? Array(names.dropFirst(stripped.count)) : names
        isFolder = endsInFolder || path.reversed().first == slash
    }

    /// The last name as text, which determines the media type; empty if there is none.
    public var fileName: String { names.last.map { String(decoding: $0, as: UTF8.self) } ?? "" }

    /// Returns a name with its escapes decoded; invalid escapes are kept. Nil if it is refused.
    private static func decoded(_ name: some Collection<UInt8>) -> [UInt8]? {
        let decoded = PercentEncoding.decoded(name).bytes
        let isRefused = decoded.contains { refused.contains($0) }
        return isRefused || decoded == Array("..".utf8) ? nil : decoded
    }

    private static let refused: [UInt8] = [0, UInt8(ascii: "/"), UInt8(ascii: "\\")]
}

public enum ServedFind: Sendable, Hashable {
    case file(ServedFile)
    /// A folder, but the path did not end in `/`: relative links in its index would be wrong.
    case folderWithoutSlash
    /// Nothing, or a folder without an index file.
    case missing
    /// Not allowed: `ServedPath` refused the path, or a link leads out of the folder.
    case refused
}

/// The properties of a file that serving needs.
public struct ServedFile: Sendable, Hashable {
    /// The file's name, which determines its media type.
    public let name: String
    public let byteCount: Int64
    /// When the file was last changed, in seconds since 1970.
    public let modifiedSeconds: Int64

    public init(name: String, byteCount: Int64, modifiedSeconds: Int64) {
        self.name = name
        self.byteCount = max(0, byteCount)
        self.modifiedSeconds = modifiedSeconds
    }
}

public enum ServedType {
    /// The type for the extension of the file's name, ignoring case; `application/octet-stream` if
    /// it is unknown. Text is declared as UTF-8, because local files mostly are.
    public static func contentType(ofFileNamed name: String) -> String {
        let type = FileMediaType.mediaType(ofFileNamed: name)
        return type.hasPrefix("text/") ? type + "; charset=utf-8" : type
    }
}

/// The conditions of a request for a file (RFC 9110 §13). A file has a date but no entity tag.
struct FileConditions {
    enum Outcome: Sendable, Hashable {
        case met
        /// 304: the client's copy is still valid.
        case notModified
        /// 412: the file is not the one that the client expects.
        case failed
    }

    let outcome: Outcome
    /// Whether a Range field applies: there is no If-Range, or it names the file's date.
    let allowsRange: Bool

    init(_ request: HeaderFields, modifiedSeconds: Int64) {
        func seconds(_ name: String) -> Int64? {
            let values = request.values(named: name)
            guard values.count == 1, let value = values.first else { return nil }
            return CookieDateReader.secondsSinceEpoch(value.utf8)
        }
        /// Nil if there is no such field; otherwise whether it is `*`.
        func meansAny(_ name: String) -> Bool? {
            let values = request.values(named: name)
            return values.isEmpty ? nil : values == ["*"]
        }
        let isUnmet =
            meansAny("If-Match").map { !$0 }
            ?? seconds("If-Unmodified-Since").map { modifiedSeconds > $0 } ?? false
        let isKnown =
            meansAny("If-None-Match")
            ?? seconds("If-Modified-Since").map { modifiedSeconds <= $0 } ?? false
        outcome = isUnmet ? .failed : isKnown ? .notModified : .met
        allowsRange =
            request.values(named: "If-Range").isEmpty || seconds("If-Range") == modifiedSeconds
    }
}

/// The part of a file of known length that a Range field requests (RFC 9110 §14.2).
enum ByteRangeRequest: Sendable, Hashable {
    /// The whole file: there is no Range field, or it is not understood, or it requests several
    /// ranges, which a server may answer with the whole file.
    case whole
    /// One part of the file, which is not empty.
    case part(Range<Int64>)
    /// A range that does not exist in the file.
    case unsatisfiable

    /// - Parameter values: All values of the field; there may be none, one or more.
    init(_ values: [String], byteCount: Int64) {
        self = .whole
        guard values.count == 1, let value = values.first,
            let equals = value.firstIndex(of: "="), value[..<equals].lowercased() == "bytes"
        else { return }
        let text = value[value.index(after: equals)...].utf8.filter { $0 != 0x20 && $0 != 0x09 }
        let ends = text.split(
            separator: UInt8(ascii: "-"), maxSplits: 1, omittingEmptySubsequences: false)
        guard ends.count == 2 else { return }
        switch (ByteRangeRequest.number(ends[0]), ByteRangeRequest.number(ends[1])) {
        case (.number(let first), .number(let last)) where first <= last:
            self = .from(first, to: last, of: byteCount)
        case (.number(let first), .nothing): self = .from(first, to: .max, of: byteCount)
        case (.nothing, .number(0)): self = .unsatisfiable
        // The last bytes of an empty file are the whole file.
        case (.nothing, .number(let count)) where byteCount > 0:
            self = .part(max(0, byteCount - count)..<byteCount)
        default: break
        }
    }

    private static func from(_ first: Int64, to last: Int64, of byteCount: Int64) -> Self {
        guard first < byteCount else { return .unsatisfiable }
        return .part(first..<(min(last, byteCount - 1) + 1))
    }

    private enum Bound {
        case nothing
        case number(Int64)
        case noNumber
    }

    /// A number too large to represent is beyond the end of every file.
    private static func number(_ digits: ArraySlice<UInt8>) -> Bound {
        guard !digits.isEmpty else { return .nothing }
        guard digits.allSatisfy({ $0 &- 0x30 < 10 }) else { return .noNumber }
        return .number(Int64(String(decoding: digits, as: UTF8.self)) ?? .max)
    }
}

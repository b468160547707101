public import ProxydHTTPModel
internal import ProxydParameterCoding
public import FoundationEssentials

/// A request whose response is written to a file.
public final class DownloadRequest: ClientRequest {
    public let core: RequestCore
    let file: DownloadFile

    public struct Options: OptionSet, Sendable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
        public static let createIntermediateDirectories = Options(rawValue: 1 << 0)
        public static let removePreviousFile = Options(rawValue: 1 << 1)
    }

    /// Chooses the destination from the temporary file's location and the head of the response.
    /// Called after the response has passed validation.
    public typealias Destination =
        @Sendable (_ temporaryURL: URL, _ response: ResponseHead) -> (
            destinationURL: URL, options: Options
        )

    init(_ core: RequestCore, file: DownloadFile) {
        self.core = core
        self.file = file
    }

    /// What is needed to resume the download after it ended early, or nil if it cannot be resumed.
    public var resumeData: DownloadResumeData? { core.read { $0.completion?.resumeData } }
    /// The location of the file, or nil until it is complete.
    public var fileURL: URL? { core.read { $0.completion?.filePath }.map { URL(filePath: $0) } }

    /// Cancels the download; with `producingResumeData`, the partial file is kept and `resumeData`
    /// describes how to resume.
    @discardableResult
    public func cancel(producingResumeData isWanted: Bool) -> Self {
        file.keepsPartOnCancel = isWanted
        return cancel()
    }

    /// Cancels the download and passes the resume data to the handler, or nil if it cannot be
    /// resumed.
    @discardableResult
    public func cancel(
        byProducingResumeData handler: @escaping @Sendable (DownloadResumeData?) -> Void
    ) -> Self {
        response { handler($0.resumeData) }
        return cancel(producingResumeData: true)
    }

    /// A destination in a directory, named as the server suggests, or after the last component of
    /// the URL's path, or after its host. The name is made safe: never outside the directory, never
    /// hidden. Without `directory`, it is the user's download folder.
    public static func suggestedDownloadDestination(
        in directory: URL? = nil, options: Options = []
    ) -> Destination {
        { temporaryURL, response in
            let folder = directory ?? URL(filePath: DownloadName.userDirectory)
            let fallback = temporaryURL.lastPathComponent
            let name = DownloadName.suggested(by: response) ?? fallback
            return (folder.appending(path: name), options)
        }
    }
}

/// What is needed to resume a download that ended early. It is `Codable` so that it can be stored
/// on disk.
public struct DownloadResumeData: Sendable, Hashable, Codable {
    public let url: String
    public let filePath: String
    /// The length of the partial file in bytes.
    public let byteCount: Int64
    /// The strong ETag of the resource, for If-Range (RFC 9110 §13.1.5).
    public let entityTag: String?
    /// Last-Modified of the resource, if there is no strong ETag.
    public let lastModified: String?
}

enum DownloadName {
    /// The URL of the response while a destination closure runs. The closure gets only the head,
    /// which does not contain the URL.
    @TaskLocal static var url: RawURL?

    /// The longest name that most file systems allow, in bytes.
    private static let byteCountMax = 255

    /// A safe name for the response from `url`, like Foundation's `suggestedFilename`: the one in
    /// Content-Disposition (RFC 6266), or the last component of the URL's path, or its host. The
    /// last two get an extension for the Content-Type if they have none.
    static func suggested(by response: ResponseHead) -> String? {
        if let value = response.fields["Content-Disposition"],
            let name = fileName(in: value).flatMap(safe)
        {
            return name
        }
        guard let url else { return nil }
        let usual = response.fields["Content-Type"].flatMap(FileMediaType.usualExtension)
        if let name = lastComponent(of: url).flatMap(safe) {
            return name.contains(".") ? name : appending(usual, to: name)
        }
        return safe(url.host).flatMap { appending(usual, to: $0) }
    }

    /// The component percent-decoded, or unchanged if the result is not valid text.
    private static func lastComponent(of url: RawURL) -> String? {
        url.pathText.split(separator: "/").last.map { percentDecoded($0) ?? String($0) }
    }

    private static func percentDecoded(_ text: Substring) -> String? {
        let (bytes, isValid) = PercentEncoding.decoded(text.utf8)
        return isValid ? String(validating: bytes, as: UTF8.self) : nil
    }

    private static func appending(_ fileExtension: String?, to name: String) -> String? {
        safe(fileExtension.map { "\(name).\($0)" } ?? name)
    }

    /// A name that is a single path component and not hidden, or nil if nothing is left.
    static func safe(_ name: String) -> String? {
        // Splits by scalars, not by `Character`: a slash followed by a combining mark is one
        // `Character`.
        let components = name.unicodeScalars.split { $0 == "/" || $0 == "\\" }
        guard let last = components.last else { return nil }
        var kept = String.UnicodeScalarView(last.filter { $0.value >= 0x20 && $0.value != 0x7F })
        while let first = kept.first, first == "." || first == " " { kept.removeFirst() }
        while String(kept).utf8.count > byteCountMax { kept.removeLast() }
        return kept.isEmpty ? nil : String(kept)
    }

    /// `$XDG_DOWNLOAD_DIR`, or `~/Downloads` if it is not set.
    static var userDirectory: String {
        let environment = ProcessInfo.processInfo.environment
        if let directory = environment["XDG_DOWNLOAD_DIR"], directory.hasPrefix("/") {
            return directory
        }
        return (environment["HOME"] ?? FileManager.default.temporaryDirectory.path) + "/Downloads"
    }

    /// `filename*` (RFC 8187) takes precedence over `filename`.
    private static func fileName(in value: String) -> String? {
        var plain: String?
        for (name, text) in parameters(of: value) {
            if name == "filename*", let decoded = extended(text) { return decoded }
            if name == "filename", plain == nil { plain = text }
        }
        return plain
    }

    private static func extended(_ text: String) -> String? {
        let parts = text.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].lowercased() == "utf-8" else { return nil }
        return percentDecoded(parts[2])
    }

    /// Parameters with names in lower case and values without quotation marks.
    private static func parameters(of value: String) -> [(String, String)] {
        var found: [(String, String)] = []
        var rest = value.drop { $0 != ";" }
        while rest.first == ";" {
            rest = rest.dropFirst().drop { $0 == " " || $0 == "\t" }
            let name = rest.prefix { $0 != "=" && $0 != ";" }
            rest = rest.dropFirst(name.count)
            var text = ""
            if rest.first == "=" { (text, rest) = parameterValue(rest.dropFirst()) }
            found.append((name.filter { $0 != " " }.lowercased(), text))
            rest = rest.drop { $0 != ";" }
        }
        return found
    }

    private static func parameterValue(_ rest: Substring) -> (String, Substring) {
        guard rest.first == "\"" else {
            let token = rest.prefix { $0 != ";" }
            return (String(token.filter { $0 != " " }), rest.dropFirst(token.count))
        }
        var text = ""
        var index = rest.index(after: rest.startIndex)
        while index < rest.endIndex, rest[index] != "\"" {
            if rest[index] == "\\", rest.index(after: index) < rest.endIndex {
                index = rest.index(after: index)
            }
            text.append(rest[index])
            index = rest.index(after: index)
        }
        return (text, index < rest.endIndex ? rest[rest.index(after: index)...] : "")
    }
}

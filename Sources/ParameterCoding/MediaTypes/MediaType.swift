/// The value of Content-Type: `type/subtype` and parameters (RFC 9110 §8.3.1).
public struct MediaType: Sendable, Hashable {
    /// `type/subtype` in lower case.
    public let essence: String
    /// The charset parameter as written.
    public let charset: String?
    /// The boundary parameter, unquoted.
    public let boundary: [UInt8]?

    /// Parses a field value; nil if it is not a media type.
    public init?(_ fieldValue: String) {
        var fieldValue = fieldValue
        let parsed = fieldValue.withUTF8 { MediaType.parse($0.span) }
        guard let parsed else { return nil }
        self = parsed
    }

    private init(essence: String, charset: String?, boundary: [UInt8]?) {
        self.essence = essence
        self.charset = charset
        self.boundary = boundary
    }

    /// The structured suffix (RFC 6838 §4.2.8), such as `json` of `application/problem+json`.
    public var suffix: Substring? {
        essence.lastIndex(of: "+").map { essence[essence.index(after: $0)...] }
    }

    private static func parse(_ bytes: Span<UInt8>) -> MediaType? {
        var start = 0
        while start < bytes.count, Byte.isBlank(bytes[start]) { start &+= 1 }
        var end = start
        var slash: Int?
        while end < bytes.count {
            let byte = bytes[end]
            if byte == 0x2F, slash == nil {
                slash = end
            } else if !Byte.isToken(byte) {
                break
            }
            end &+= 1
        }
        guard let slash, slash > start, end > slash &+ 1 else { return nil }
        let essence = FieldParameters.lowercased(bytes.extracting(start..<end))
        guard end < bytes.count else {
            return MediaType(essence: essence, charset: nil, boundary: nil)
        }
        let parameters = FieldParameters(bytes, from: end)
        return MediaType(
            essence: essence,
            charset: parameters["charset"].map { String(decoding: $0, as: UTF8.self) },
            boundary: parameters["boundary"]
        )
    }
}

/// Parses the `; name=value` parameters of a field value such as Content-Type or
/// Content-Disposition (RFC 9110 §5.6.6, RFC 8187), as leniently as browsers and clients write
/// them.
struct FieldParameters {
    struct Parameter {
        /// The parameter's name in lower case.
        let name: String
        /// The value, unquoted and unescaped.
        let value: [UInt8]
    }

    private(set) var parameters: [Parameter] = []

    /// Parses the parameters of a field value; `start` is the position of its first `;`, if any.
    init(_ bytes: Span<UInt8>, from start: Int) {
        var index = start
        while index < bytes.count {
            guard bytes[index] == 0x3B else {
                index &+= 1
                continue
            }
            index = FieldParameters.skipBlanks(bytes, index &+ 1)
            let nameStart = index
            while index < bytes.count, Byte.isToken(bytes[index]) { index &+= 1 }
            let name = bytes.extracting(nameStart..<index)
            index = FieldParameters.skipBlanks(bytes, index)
            guard !name.isEmpty, index < bytes.count, bytes[index] == 0x3D else { continue }
            index = FieldParameters.skipBlanks(bytes, index &+ 1)
            let value = FieldParameters.value(bytes, &index)
            parameters.append(Parameter(name: FieldParameters.lowercased(name), value: value))
        }
    }

    /// The value of the first parameter with a name in lower case.
    subscript(name: String) -> [UInt8]? { parameters.first { $0.name == name }?.value }

    static func lowercased(_ bytes: Span<UInt8>) -> String {
        bytes.withUnsafeBufferPointer { source in
            String(unsafeUninitializedCapacity: source.count) { target in
                for index in source.indices {
                    target.initializeElement(at: index, to: Byte.lowercased(source[index]))
                }
                return source.count
            }
        }
    }

    private static func skipBlanks(_ bytes: Span<UInt8>, _ start: Int) -> Int {
        var index = start
        while index < bytes.count, Byte.isBlank(bytes[index]) { index &+= 1 }
        return index
    }

    private static func value(_ bytes: Span<UInt8>, _ index: inout Int) -> [UInt8] {
        if index < bytes.count, bytes[index] == 0x22 {
            index &+= 1
            return quoted(bytes, &index)
        }
        let start = index
        while index < bytes.count, bytes[index] != 0x3B { index &+= 1 }
        var end = index
        while end > start, Byte.isBlank(bytes[end &- 1]) { end &-= 1 }
        return owned(bytes.extracting(start..<end))
    }

    /// A quotation mark ends the value only if the parameter can end there: some clients do not
    /// escape inner quotation marks. A mark after an odd number of backslashes is escaped unless it
    /// must be the closing one. If no mark is escaped, backslashes are literal: browsers do not
    /// escape them.
    private static func quoted(_ bytes: Span<UInt8>, _ index: inout Int) -> [UInt8] {
        let start = index
        var hasEscapes = false
        var backslashCount = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte == 0x22 {
                if backslashCount.isMultiple(of: 2) || isClosing(bytes, markAt: index) {
                    let next = skipBlanks(bytes, index &+ 1)
                    if next == bytes.count || bytes[next] == 0x3B {
                        let value = bytes.extracting(start..<index)
                        index = next
                        return hasEscapes ? unescaped(value) : owned(value)
                    }
                } else {
                    hasEscapes = true
                }
            }
            backslashCount = byte == 0x5C ? backslashCount &+ 1 : 0
            index &+= 1
        }
        let value = bytes.extracting(start..<index)
        return hasEscapes ? unescaped(value) : owned(value)
    }

    private static func owned(_ bytes: Span<UInt8>) -> [UInt8] {
        bytes.withUnsafeBufferPointer { Array($0) }
    }

    /// The bytes without the backslash before `"` and `\`.
    private static func unescaped(_ bytes: Span<UInt8>) -> [UInt8] {
        var unescaped: [UInt8] = []
        var index = 0
        while index < bytes.count {
            let next = index &+ 1
            if bytes[index] == 0x5C, next < bytes.count,
                bytes[next] == 0x5C || bytes[next] == 0x22
            {
                index = next
            }
            unescaped.append(bytes[index])
            index &+= 1
        }
        return unescaped
    }

    /// Whether the mark after a backslash is the last byte, or is followed by `; name="` or `;
    /// name*=`: an escaped one would be followed by the closing mark or by other escaped marks.
    private static func isClosing(_ bytes: Span<UInt8>, markAt mark: Int) -> Bool {
        var index = skipBlanks(bytes, mark &+ 1)
        guard index < bytes.count else { return true }
        guard bytes[index] == 0x3B else { return false }
        index = skipBlanks(bytes, index &+ 1)
        let nameStart = index
        while index < bytes.count, Byte.isToken(bytes[index]) { index &+= 1 }
        guard index > nameStart, index &+ 1 < bytes.count, bytes[index] == 0x3D else {
            return false
        }
        return bytes[index &- 1] == 0x2A || bytes[index &+ 1] == 0x22
    }

    /// The text of the first parameter with a name, as in the Content-Disposition of a form's part;
    /// `name*` (RFC 8187) takes precedence.
    func text(_ name: String, _ text: ByteText) -> String? {
        if let extended = self[name + "*"], let decoded = FieldParameters.extended(extended) {
            return decoded
        }
        return self[name].map { text.text(FieldParameters.unescaped($0).span) }
    }

    /// `charset'language'percent-encoded` (RFC 8187 §3.2.1).
    private static func extended(_ value: [UInt8]) -> String? {
        guard let first = value.firstIndex(of: 0x27),
            let second = value[(first + 1)...].firstIndex(of: 0x27)
        else { return nil }
        let charset = String(decoding: value[..<first], as: UTF8.self)
        let rules = ByteText(declaredCharset: charset)
        var percent = PercentDecoder(text: rules, plusIsSpace: false)
        return percent.decodedText(value.span, (second + 1)..<value.count)
    }

    /// Reverses the escaping of names by WHATWG HTML's "multipart/form-data encoding algorithm".
    private static func unescaped(_ value: [UInt8]) -> [UInt8] {
        guard value.contains(0x25) else { return value }
        var result: [UInt8] = []
        var rest = value[...]
        while let byte = rest.popFirst() {
            let original: UInt8? =
                switch (byte, rest.first, rest.dropFirst().first) {
                case (0x25, 0x32, 0x32): 0x22
                case (0x25, 0x30, 0x44): 0x0D
                case (0x25, 0x30, 0x41): 0x0A
                default: nil
                }
            result.append(original ?? byte)
            if original != nil { rest = rest.dropFirst(2) }
        }
        return result
    }
}

/// Maps file name extensions to media types.
public enum FileMediaType {
    /// The type of a file with an unknown extension (RFC 2046 §4.5.1).
    public static let unknown = "application/octet-stream"

    /// The media type for a file name or a path; the extension is case-insensitive.
    public static func mediaType(ofFileNamed name: String) -> String {
        let last = name.split(separator: "/").last ?? ""
        guard let dot = last.lastIndex(of: "."), dot > last.startIndex else { return unknown }
        return byExtension[last[last.index(after: dot)...].lowercased()] ?? unknown
    }

    /// The usual extension, without a dot, for files of a media type; nil if the type is unknown.
    /// `type` is a field value such as `text/html; charset=utf-8`.
    public static func usualExtension(ofMediaType type: String) -> String? {
        guard let essence = MediaType(type)?.essence else { return nil }
        return extensionsByType[essence]?.split(separator: " ").first.map(String.init)
    }

    /// IANA media types of common files with their extensions, the usual one first.
    private static let extensionsByType = [
        // Text and data.
        "text/plain": "txt text log conf ini", "text/csv": "csv",
        "text/tab-separated-values": "tsv", "text/html": "html htm", "text/css": "css",
        "text/javascript": "js mjs", "text/markdown": "md markdown", "text/calendar": "ics",
        "text/vcard": "vcf", "text/vtt": "vtt", "text/rtf": "rtf", "text/xml": "xml xsd",
        "application/xhtml+xml": "xhtml", "application/xslt+xml": "xsl xslt",
        "application/json": "json map", "application/ld+json": "jsonld",
        "application/geo+json": "geojson", "application/har+json": "har",
        "application/x-ndjson": "ndjson jsonl", "application/yaml": "yaml yml",
        "application/toml": "toml", "application/sql": "sql", "application/x-sh": "sh",
        "application/x-plist": "plist", "application/rss+xml": "rss",
        "application/atom+xml": "atom", "application/cbor": "cbor",
        "application/manifest+json": "webmanifest", "application/wasm": "wasm",
        "application/vnd.sqlite3": "sqlite sqlite3 db",
        // Images.
        "image/png": "png", "image/apng": "apng", "image/jpeg": "jpg jpeg jpe jfif",
        "image/gif": "gif", "image/webp": "webp", "image/avif": "avif", "image/heic": "heic",
        "image/heif": "heif", "image/bmp": "bmp dib", "image/tiff": "tif tiff",
        "image/svg+xml": "svg", "image/vnd.microsoft.icon": "ico", "image/jxl": "jxl",
        "image/vnd.adobe.photoshop": "psd",
        // Sound and film.
        "audio/mpeg": "mp3", "audio/mp4": "m4a", "audio/aac": "aac", "audio/flac": "flac",
        "audio/ogg": "ogg oga opus", "audio/wav": "wav", "audio/midi": "mid midi",
        "audio/aiff": "aif aiff", "audio/amr": "amr", "video/mp4": "mp4 m4v",
        "video/mpeg": "mpg mpeg", "video/webm": "webm", "video/ogg": "ogv",
        "video/quicktime": "mov qt", "video/x-msvideo": "avi", "video/x-matroska": "mkv",
        "video/3gpp": "3gp", "video/mp2t": "ts", "application/vnd.apple.mpegurl": "m3u8",
        // Fonts.
        "font/woff": "woff", "font/woff2": "woff2", "font/ttf": "ttf", "font/otf": "otf",
        // Documents.
        "application/pdf": "pdf", "application/postscript": "ps eps ai",
        "application/epub+zip": "epub", "application/msword": "doc dot",
        "application/vnd.ms-excel": "xls", "application/vnd.ms-powerpoint": "ppt",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
        "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
        "application/vnd.oasis.opendocument.text": "odt",
        "application/vnd.oasis.opendocument.spreadsheet": "ods",
        "application/vnd.oasis.opendocument.presentation": "odp",
        "message/rfc822": "eml", "application/mbox": "mbox",
        // Archives and programs.
        "application/zip": "zip", "application/gzip": "gz tgz", "application/x-tar": "tar",
        "application/x-bzip2": "bz2", "application/x-xz": "xz", "application/zstd": "zst",
        "application/x-7z-compressed": "7z", "application/vnd.rar": "rar",
        "application/java-archive": "jar", "application/vnd.android.package-archive": "apk",
        "application/vnd.debian.binary-package": "deb", "application/x-rpm": "rpm",
        "application/x-apple-diskimage": "dmg", "application/x-iso9660-image": "iso",
        // Keys and certificates.
        "application/x-pem-file": "pem", "application/pkix-cert": "cer crt der",
        "application/pkcs12": "p12 pfx", "application/pkcs8": "p8",
        "application/pgp-signature": "asc sig",
        // Models.
        "model/gltf+json": "gltf", "model/gltf-binary": "glb", "model/stl": "stl",
    ]

    private static let byExtension: [String: String] = {
        var byExtension: [String: String] = [:]
        for (type, extensions) in extensionsByType {
            for fileExtension in extensions.split(separator: " ") {
                byExtension[String(fileExtension)] = type
            }
        }
        return byExtension
    }()
}

public import ProxydHTTPModel
internal import FoundationEssentials

/// The request that a curl command describes: what curl would send, without what it adds by itself.
/// Nothing is run, and no file is read.
public struct CurlInvocation: Sendable {
    public private(set) var method = "GET"
    /// The URL, with a scheme.
    public private(set) var url = ""
    /// The fields that the command names, in order, and those that its options imply.
    public private(set) var fields = HeaderFields()
    public private(set) var body: [UInt8] = []

    private var ownMethod: String?
    private var data: [String] = []
    private var hasData = false
    private var parts: [(name: String, value: String)] = []
    private var isGet = false
    /// Fields that curl must not add, in lower case.
    private var unwanted: Set<String> = []

    /// Whether a text may be a curl command: it starts with the program's name.
    public static func isLikely(_ text: String) -> Bool {
        let text = withoutPrompt(text)
        return text.hasPrefix("curl ") || text.hasPrefix("curl\t") || text.hasPrefix("curl\\")
    }

    /// Parses a command written for bash or any POSIX shell. Throws if it is not a curl command, or
    /// does something that a single request cannot.
    public init(_ text: String) throws(CurlProblem) {
        if text.contains("^\"") {
            throw CurlProblem("this command is for the Windows shell: copy it for bash")
        }
        var words = try ShellWords.words(of: String(CurlInvocation.withoutPrompt(text)))[...]
        guard words.popFirst() == "curl" else { throw CurlProblem("this is not a curl command") }
        while let word = words.popFirst() {
            if word.hasPrefix("--") {
                try takeLong(word.dropFirst(2), &words)
            } else if word.hasPrefix("-"), word.count > 1 {
                try takeShort(word.dropFirst(), &words)
            } else {
                try take(url: word)
            }
        }
        guard !url.isEmpty else { throw CurlProblem("the command has no URL") }
        finish()
    }

    private static func withoutPrompt(_ text: String) -> Substring {
        let text = text.drop { $0.isWhitespace }
        return text.hasPrefix("$ ") ? text.dropFirst(2).drop { $0.isWhitespace } : text
    }

    // MARK: Options

    private mutating func takeLong(
        _ name: Substring, _ words: inout ArraySlice<String>
    ) throws(CurlProblem) {
        guard let option = CurlOption.long(String(name)) else {
            throw CurlProblem("curl's option --\(name) is not supported")
        }
        try take(option, "--\(name)", nil, &words)
    }

    /// Parses letters after one hyphen; the value of the last may follow it directly.
    private mutating func takeShort(
        _ letters: Substring, _ words: inout ArraySlice<String>
    ) throws(CurlProblem) {
        var letters = letters
        while let letter = letters.popFirst() {
            guard let option = CurlOption.short(letter) else {
                throw CurlProblem("curl's option -\(letter) is not supported")
            }
            guard option.takesValue else {
                try take(option, "-\(letter)", nil, &words)
                continue
            }
            return try take(option, "-\(letter)", letters.isEmpty ? nil : String(letters), &words)
        }
    }

    private mutating func take(
        _ option: CurlOption, _ name: String, _ attached: String?, _ words: inout ArraySlice<String>
    ) throws(CurlProblem) {
        guard option.takesValue else { return take(flag: option) }
        guard let value = attached ?? words.popFirst() else {
            throw CurlProblem("curl's option \(name) has no value")
        }
        switch option {
        case .method: ownMethod = value
        case .field: take(field: value)
        case .user: set("Authorization", "Basic " + Data(value.utf8).base64EncodedString())
        case .cookie:
            guard value.contains("=") else { throw .file(name) }
            set("Cookie", value)
        case .userAgent: set("User-Agent", value)
        case .referer: set("Referer", value)
        case .url: try take(url: value)
        case .data(let kind): try take(data: value, kind, name)
        case .json:
            try take(data: value, .text, name)
            setDefault("Content-Type", "application/json")
            setDefault("Accept", "application/json")
        case .form(let isLiteral): try take(part: value, isLiteral: isLiteral, name)
        case .get, .head, .compressed, .ignored: break
        }
    }

    private mutating func take(flag: CurlOption) {
        switch flag {
        case .get: isGet = true
        case .head: ownMethod = ownMethod ?? "HEAD"
        case .compressed: setDefault("Accept-Encoding", "deflate, gzip, br, zstd")
        default: break
        }
    }

    private mutating func take(url text: String) throws(CurlProblem) {
        guard url.isEmpty else { throw CurlProblem("the command has more than one URL") }
        url = text.contains("://") ? text : "http://" + text
    }

    // MARK: Fields

    /// `Name: value`; `Name;` has an empty value, and `Name:` means that curl must not add it.
    private mutating func take(field: String) {
        if let colon = field.firstIndex(of: ":") {
            let value = field[field.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            let name = String(field[..<colon])
            if value.isEmpty { unwanted.insert(name.lowercased()) }
            if !value.isEmpty { append(name, String(value)) }
        } else if field.hasSuffix(";") {
            append(String(field.dropLast()), "")
        }
    }

    private mutating func append(_ name: String, _ value: String) {
        let isClean = !(name + value).unicodeScalars.contains { $0 == "\r" || $0 == "\n" }
        if !name.isEmpty, isClean { fields.append(name: name, value: value) }
    }

    private mutating func set(_ name: String, _ value: String) {
        fields.removeAll(named: name)
        append(name, value)
    }

    private mutating func setDefault(_ name: String, _ value: String) {
        if fields[name] == nil, !unwanted.contains(name.lowercased()) { append(name, value) }
    }

    // MARK: Content

    private mutating func take(
        data value: String, _ kind: CurlData, _ option: String
    ) throws(CurlProblem) {
        hasData = true
        switch kind {
        case .raw: data.append(value)
        case .text:
            guard !value.hasPrefix("@") else { throw .file(option) }
            data.append(value)
        case .encoded:
            guard let equals = value.firstIndex(of: "=") else {
                guard !value.contains("@") else { throw .file(option) }
                return data.append(CurlInvocation.encoded(value))
            }
            let name = value[..<equals]
            let text = CurlInvocation.encoded(String(value[value.index(after: equals)...]))
            data.append(name.isEmpty ? text : "\(name)=\(text)")
        }
    }

    /// Percent-encodes all characters except unreserved ones (RFC 3986 §2.3); a space becomes `+`,
    /// as curl has it.
    private static func encoded(_ text: String) -> String {
        let bytes = PercentEncoding.encoded(text.utf8) { byte in
            ASCII.isAlphanumeric(byte) || "-._~ ".utf8.contains(byte)
        }
        return String(decoding: bytes.map { $0 == 0x20 ? UInt8(ascii: "+") : $0 }, as: UTF8.self)
    }

    private mutating func take(
        part: String, isLiteral: Bool, _ option: String
    ) throws(CurlProblem) {
        guard let equals = part.firstIndex(of: "=") else {
            throw CurlProblem("curl's option \(option) wants NAME=CONTENT")
        }
        let value = part[part.index(after: equals)...]
        if !isLiteral {
            guard !value.hasPrefix("@"), !value.hasPrefix("<") else { throw .file(option) }
            // What follows a semicolon, and quotation marks, mean more than they say.
            guard !value.contains(where: { $0 == ";" || $0 == "\"" }) else {
                throw CurlProblem(
                    "curl's option \(option) with ; or quotation marks: put the part in by hand")
            }
        }
        parts.append((String(part[..<equals]), String(value)))
    }

    // MARK: The request

    private mutating func finish() {
        let joined = data.joined(separator: "&")
        if isGet {
            if hasData { url += (url.contains("?") ? "&" : "?") + joined }
        } else if !parts.isEmpty {
            finishParts()
        } else if hasData {
            body = Array(joined.utf8)
            setDefault("Content-Type", "application/x-www-form-urlencoded")
        }
        let hasContent = !isGet && (hasData || !parts.isEmpty)
        method = ownMethod ?? (hasContent ? "POST" : "GET")
        setDefault("Accept", "*/*")
    }

    private mutating func finishParts() {
        var boundary = "----proxyctl"
        while parts.contains(where: { $0.value.contains(boundary) }) { boundary += "-" }
        var text = ""
        for part in parts {
            let name = part.name.replacing("\"", with: "%22")
            text += "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n"
            text += part.value + "\r\n"
        }
        body = Array((text + "--\(boundary)--\r\n").utf8)
        set("Content-Type", "multipart/form-data; boundary=\(boundary)")
    }
}

extension CurlProblem {
    fileprivate static func file(_ option: String) -> CurlProblem {
        CurlProblem("curl's option \(option) reads a file: put its content in by hand")
    }
}

/// An option of curl, as far as it affects the request that is sent.
enum CurlOption: Sendable, Hashable {
    case method, field, user, cookie, userAgent, referer, url
    /// A body, whose parts are joined by `&`.
    case data(CurlData)
    case json
    case form(isLiteral: Bool)
    /// The data goes into the query.
    case get
    case head
    case compressed
    /// Affects only the connection or the handling of the response.
    case ignored(takesValue: Bool)

    var takesValue: Bool {
        switch self {
        case .get, .head, .compressed: false
        case .ignored(let takesValue): takesValue
        default: true
        }
    }

    static func short(_ letter: Character) -> CurlOption? {
        switch letter {
        case "X": .method
        case "H": .field
        case "u": .user
        case "b": .cookie
        case "A": .userAgent
        case "e": .referer
        case "d": .data(.text)
        case "F": .form(isLiteral: false)
        case "G": .get
        case "I": .head
        case "k", "s", "S", "L", "v", "i", "f", "N", "g", "#", "0", "1", "2", "3", "4", "6", "a",
            "j", "O", "J", "R", "n", "q", "Z":
            .ignored(takesValue: false)
        case "o", "w", "m", "x", "c", "E", "y", "Y", "D", "r", "U", "C", "z":
            .ignored(takesValue: true)
        default: nil
        }
    }

    /// The option for a name without hyphens.
    static func long(_ name: String) -> CurlOption? {
        switch name {
        case "request": .method
        case "header": .field
        case "user": .user
        case "cookie": .cookie
        case "user-agent": .userAgent
        case "referer": .referer
        case "url": .url
        case "data", "data-ascii": .data(.text)
        case "data-raw": .data(.raw)
        case "data-binary": .data(.text)
        case "data-urlencode": .data(.encoded)
        case "json": .json
        case "form": .form(isLiteral: false)
        case "form-string": .form(isLiteral: true)
        case "get": .get
        case "head": .head
        case "compressed": .compressed
        default: ignored(name)
        }
    }

    private static func ignored(_ name: String) -> CurlOption? {
        let flags: Set = [
            "insecure", "silent", "show-error", "location", "verbose", "include", "fail",
            "fail-with-body", "no-buffer", "globoff", "path-as-is", "http1.0", "http1.1", "http2",
            "http2-prior-knowledge", "http3", "ipv4", "ipv6", "progress-bar", "no-keepalive",
            "tcp-nodelay", "ssl-no-revoke", "tlsv1.2", "tlsv1.3", "proxy-insecure", "raw",
            "remote-name", "no-progress-meter", "location-trusted", "post301", "post302",
            "disable", "no-sessionid", "tr-encoding",
        ]
        if flags.contains(name) { return .ignored(takesValue: false) }
        let valued: Set = [
            "output", "write-out", "max-time", "connect-timeout", "proxy", "proxy-user", "cacert",
            "capath", "cert", "cert-type", "key", "key-type", "pass", "resolve", "connect-to",
            "retry", "retry-delay", "retry-max-time", "cookie-jar", "max-redirs", "limit-rate",
            "interface", "dns-servers", "noproxy", "ciphers", "tls-max", "expect100-timeout",
            "proxy-header", "socks5", "socks5-hostname", "unix-socket", "range", "dump-header",
        ]
        return valued.contains(name) ? .ignored(takesValue: true) : nil
    }
}

enum CurlData: Sendable, Hashable {
    /// Literal data; after an `@`, the name of a file.
    case text
    /// Literal data, whatever it starts with.
    case raw
    /// `NAME=VALUE`, of which the value is to be encoded, or a value alone.
    case encoded
}

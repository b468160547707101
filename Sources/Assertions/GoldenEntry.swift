package import ProxydCaptureModel
internal import ProxydExchangeContent
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydParameterCoding
internal import ProxydPresentation
internal import ProxydRules

/// A header field of a golden entry, with its name in lower case.
struct GoldenField: Sendable, Hashable {
    let name: String
    let value: String
}

/// A body in the form in which golden files compare it: JSON by its values, else by its bytes.
enum GoldenBody: Sendable {
    case none
    case json(JSONValue)
    case form([UInt8])
    case text(String)
    case bytes([UInt8])

    init(_ body: Body, _ fields: HeaderFields) {
        let content = BodyContent(body, fields)
        let bytes = content.failure == nil ? content.bytes : body.kept
        if bytes.isEmpty {
            self = .none
        } else if let value = content.json {
            self = .json(value)
        } else if content.kind == .form {
            self = .form(bytes)
        } else if let text = content.text, content.failure == nil {
            self = .text(text)
        } else {
            self = .bytes(bytes)
        }
    }

    /// A body that cannot be searched for credentials: a golden file contains only its length and
    /// its checksum. Such a text from a golden file is kept.
    init(unsearched body: Body, _ fields: HeaderFields) {
        let bytes = GoldenBody(body, fields).bytes
        let text = String(decoding: bytes.prefix(100), as: UTF8.self)
        self = .text(
            text.wholeMatch(of: GoldenBody.unsearched) != nil
                ? text
                : "not searched: \(bytes.count) bytes, checksum "
                    + GoldenBody.checksum(bytes))
    }

    private static var unsearched: Regex<Substring> {
        /not searched: \d+ bytes, checksum [0-9a-f]+/
    }

    var bytes: [UInt8] {
        switch self {
        case .none: []
        case .json(let value): (try? JSONWriter(keyOrder: .sorted).write(value)) ?? []
        case .form(let bytes), .bytes(let bytes): bytes
        case .text(let text): Array(text.utf8)
        }
    }

    func equals(_ other: GoldenBody) -> Bool {
        switch (self, other) {
        case (.json(let value), .json(let other)): value.canonical == other.canonical
        default: bytes == other.bytes
        }
    }

    var lines: [String] {
        switch self {
        case .none: []
        case .json(let value):
            GoldenBody.lines(
                of: (try? JSONWriter(keyOrder: .sorted, indentationByteCount: 2).write(value))
                    ?? [])
        case .form(let bytes):
            bytes.split(separator: UInt8(ascii: "&")).map { String(decoding: $0, as: UTF8.self) }
        case .text(let text): GoldenBody.lines(of: Array(text.utf8))
        case .bytes(let bytes): ["\(bytes.count) bytes, checksum \(GoldenBody.checksum(bytes))"]
        }
    }

    private static func lines(of bytes: [UInt8]) -> [String] {
        bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    /// FNV-1a: tells two bodies apart in a message; it decides nothing.
    private static func checksum(_ bytes: [UInt8]) -> String {
        let sum = bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01B3
        }
        return String(sum, radix: 16)
    }
}

/// What a golden file contains of one exchange, without what is masked or secret.
package struct GoldenEntry: Sendable {
    let method: HTTPMethod
    let url: RawURL
    /// The status; nil if there was no response.
    let status: Int?
    let fields: [GoldenField]
    let body: GoldenBody
    let requestType: String?
    /// The body of the request, if requests are compared.
    let requestBody: GoldenBody?

    /// Takes what is compared from an exchange; nil if it is a tunnel, or has no URL.
    package init?(_ captured: CapturedExchange, _ golden: GoldenExpectation) {
        let redacted = ExchangeRedactor().redacted(captured)
        let original = captured.exchange
        guard let head = original.request.head, let url = redacted.exchange.request.url,
            original.state != .tunnel, head.method != .connect
        else { return nil }
        let masks = golden.masks
        method = head.method
        self.url = masks.applied(to: GoldenEntry.encoded(url))
        let isLeftOut = redacted.leftOut.contains { $0.hasPrefix("response") }
        let response = redacted.exchange.response?.delivered
        status = response?.head.status
        fields = masks.applied(to: response?.head.fields ?? HeaderFields())
        body =
            isLeftOut
            ? GoldenEntry.unsearched(original.response?.delivered)
            : masks.applied(to: response.map { GoldenBody($0.body, $0.head.fields) } ?? .none)
        requestType = head.fields["Content-Type"]
        let takesRequest = golden.comparesRequests || golden.match == .key
        let isRequestLeftOut = redacted.leftOut.contains { $0.hasPrefix("request") }
        let request = redacted.exchange.request
        let sent =
            isRequestLeftOut
            ? GoldenBody(unsearched: original.request.body, head.fields)
            : masks.applied(to: GoldenBody(request.body, request.head?.fields ?? HeaderFields()))
        requestBody = takesRequest ? sent : nil
    }

    /// A URL as it is in files: bytes that no URL may have are percent-encoded.
    private static func encoded(_ url: RawURL) -> RawURL {
        RawURL(
            scheme: url.scheme, host: url.host, port: url.port,
            origin: EscapeSet.visible.encoded(url.origin))
    }

    private static func unsearched(_ response: Response?) -> GoldenBody {
        response.map { GoldenBody(unsearched: $0.body, $0.head.fields) } ?? .none
    }

    package var title: String { "\(method.rawValue) \(url)" }

    var key: MockKey {
        var fields = HeaderFields()
        if let requestType { fields.append(name: "Content-Type", value: requestType) }
        return MockKey(
            MockRequest(method: method, url: url, fields: fields, body: requestBody?.bytes ?? []))
    }

    var bodyByteCount: Int { body.bytes.count + (requestBody?.bytes.count ?? 0) }

    func equals(_ other: GoldenEntry) -> Bool {
        status == other.status && fields == other.fields && body.equals(other.body)
            && (requestBody ?? .none).equals(other.requestBody ?? .none)
    }

    var lines: [StyledText] {
        var lines = [title, status.map { "status \($0)" } ?? "no response"]
        if let requestBody, !requestBody.bytes.isEmpty {
            lines += ["request body"] + requestBody.lines.map { "  \($0)" }
        }
        lines += fields.map { "\($0.name): \($0.value)" }
        return (lines + body.lines).map { StyledText($0) }
    }
}

/// What a golden file does not contain, because it differs from run to run.
public struct GoldenMasks: Sendable {
    /// What is written in place of a value.
    package static let mark = "***"
    /// Fields left out: they differ between runs, or depend only on how responses are transferred.
    static let volatileFields: Set<String> = [
        "date", "age", "expires", "etag", "server-timing", "x-request-id", "content-length",
        "content-encoding", "transfer-encoding", "connection", "keep-alive", "trailer",
        "alt-svc", "via",
    ]

    /// Names of header fields, in lower case.
    var fields: Set<String> = []
    var queryNames: Set<String> = []
    var formNames: Set<String> = []
    var jsonPaths: [[JSONValuePath]] = []
    var patterns: [RegexReplacement] = []
    var hidesHost = false
    var hidesPort = false

    public init() {}

    /// Adds a mask as it is written in a file; returns what is wrong with it, or nil.
    package mutating func add(_ text: String) -> String? {
        if let name = GoldenMasks.rest(of: text, after: "resheader.") {
            fields.insert(name.lowercased())
        } else if let name = GoldenMasks.rest(of: text, after: "query:") {
            queryNames.insert(name)
        } else if let name = GoldenMasks.rest(of: text, after: "form:") {
            formNames.insert(name)
        } else if let path = GoldenMasks.rest(of: text, after: "json:") {
            return addPath(path)
        } else if let pattern = GoldenMasks.rest(of: text, after: "body~") {
            return addPattern(pattern)
        } else if text == "host" {
            hidesHost = true
        } else if text == "port" {
            hidesPort = true
        } else {
            return "cannot mask \(text): write resheader.NAME, json:PATH, query:NAME, form:NAME, "
                + "body~REGEX, host or port"
        }
        return nil
    }

    private static func rest(of text: String, after prefix: String) -> String? {
        guard text.hasPrefix(prefix), text.count > prefix.count else { return nil }
        return String(text.dropFirst(prefix.count))
    }

    /// `items[*].id` is a path to an array, and one in each of its elements.
    private mutating func addPath(_ text: String) -> String? {
        var paths: [JSONValuePath] = []
        for piece in GoldenMasks.pieces(of: text) {
            guard let path = try? JSONValuePath(piece) else {
                return "\(text) is not a JSON path such as user.tags[0] or items[*].id"
            }
            paths.append(path)
        }
        jsonPaths.append(paths)
        return nil
    }

    private static func pieces(of text: String) -> [String] {
        var pieces: [String] = [""]
        var rest = text[...]
        while let first = rest.first {
            if rest.hasPrefix("[*]") {
                rest = rest.dropFirst(3)
                if rest.first == "." { rest = rest.dropFirst() }
                pieces.append("")
            } else {
                pieces[pieces.count - 1].append(first)
                rest = rest.dropFirst()
            }
        }
        return pieces
    }

    private mutating func addPattern(_ text: String) -> String? {
        do throws(RegexError) {
            patterns.append(
                try RegexReplacement(pattern: text, template: GoldenMasks.mark, isForBodies: true))
            return nil
        } catch {
            return "regular expression: \(error)"
        }
    }

    /// The maximum size of a masked text in bytes.
    private static let byteCountMax = 256 << 20

    func applied(to url: RawURL) -> RawURL {
        let pieces = url.origin.split(
            separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        var origin = Array(pieces.first ?? [])
        if pieces.count == 2 {
            origin.append(UInt8(ascii: "?"))
            origin += maskedPairs(pieces[1], queryNames)
        }
        let port = hidesPort ? RawURL.defaultPort(scheme: url.scheme) : url.port
        return RawURL(
            scheme: url.scheme, host: hidesHost ? "host.test" : url.host, port: port,
            origin: origin)
    }

    /// The values of these names in a query or a form, masked.
    private func maskedPairs(_ bytes: ArraySlice<UInt8>, _ names: Set<String>) -> [UInt8] {
        guard !names.isEmpty else { return Array(bytes) }
        let pairs = bytes.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
        let masked = pairs.map { pair -> [UInt8] in
            guard let name = QueryDecoder().decode(Array(pair)).pairs.first?.name,
                names.contains(name)
            else { return Array(pair) }
            return pair.prefix { $0 != UInt8(ascii: "=") } + Array("=\(GoldenMasks.mark)".utf8)
        }
        return Array(masked.joined(separator: [UInt8(ascii: "&")]))
    }

    /// Names in lower case and values, sorted by name; volatile ones are left out.
    func applied(to head: HeaderFields) -> [GoldenField] {
        let pairs = head.pairs.compactMap { pair -> GoldenField? in
            let name = pair.name.lowercased()
            if fields.contains(name) { return GoldenField(name: name, value: GoldenMasks.mark) }
            guard !GoldenMasks.volatileFields.contains(name) else { return nil }
            if name == "set-cookie" {
                let cookie = pair.value.prefix { $0 != "=" && $0 != ";" }
                return GoldenField(name: name, value: "\(cookie)=\(GoldenMasks.mark)")
            }
            return GoldenField(name: name, value: pair.value)
        }
        // Sorting is not stable, so the index keeps the order of fields of the same name.
        return pairs.enumerated().sorted {
            ($0.element.name, $0.offset) < ($1.element.name, $1.offset)
        }.map(\.element)
    }

    func applied(to body: GoldenBody) -> GoldenBody {
        switch body {
        case .json(let value):
            return .json(replaced(jsonPaths.reduce(value) { masked($0, $1[...]) }))
        case .form(let bytes): return .form(replaced(maskedPairs(bytes[...], formNames)))
        case .text(let text):
            return .text(String(decoding: replaced(Array(text.utf8)), as: UTF8.self))
        case .bytes(let bytes): return .bytes(replaced(bytes))
        case .none: return .none
        }
    }

    private func masked(_ value: JSONValue, _ paths: ArraySlice<JSONValuePath>) -> JSONValue {
        guard let path = paths.first, let found = value.value(at: path) else { return value }
        let rest = paths.dropFirst()
        if rest.isEmpty {
            return (try? value.setting(.string(GoldenMasks.mark), at: path)) ?? value
        }
        guard case .array(let elements) = found else { return value }
        let changed = JSONValue.array(elements.map { masked($0, rest) })
        return (try? value.setting(changed, at: path)) ?? value
    }

    /// The value with the patterns' matches in its strings and numbers replaced.
    private func replaced(_ value: JSONValue) -> JSONValue {
        guard !patterns.isEmpty else { return value }
        switch value {
        case .null, .bool: return value
        case .number(let digits):
            let text = String(decoding: replaced(Array(digits.utf8)), as: UTF8.self)
            return text == digits ? value : .string(text)
        case .string(let text):
            return .string(String(decoding: replaced(Array(text.utf8)), as: UTF8.self))
        case .array(let elements): return .array(elements.map(replaced))
        case .object(let members):
            return .object(
                members.map { JSONValue.Member(name: $0.name, value: replaced($0.value)) })
        }
    }

    private func replaced(_ bytes: [UInt8]) -> [UInt8] {
        patterns.reduce(bytes) { bytes, pattern in
            let outcome = pattern.replacing(in: bytes.span, byteCountMax: GoldenMasks.byteCountMax)
            if case .changed(let changed, _, _) = outcome { return changed }
            return bytes
        }
    }
}

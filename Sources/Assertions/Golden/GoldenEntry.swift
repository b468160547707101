package import ProxydCaptureModel
internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydInterchange
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

    /// A body that cannot be searched for credentials: a golden file says only how long it is, and
    /// its checksum. What a golden file says of one stays.
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

    /// The bytes that are compared.
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

    /// The body as lines for people.
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

    /// The method and URL.
    package var title: String { "\(method.rawValue) \(url)" }

    /// The key of the request, as for mocks.
    var key: MockKey {
        var fields = HeaderFields()
        if let requestType { fields.append(name: "Content-Type", value: requestType) }
        return MockKey(
            MockRequest(
                method: method, url: url, fields: fields, body: requestBody?.bytes ?? []))
    }

    /// The size of its bodies in bytes.
    var bodyByteCount: Int { body.bytes.count + (requestBody?.bytes.count ?? 0) }

    func equals(_ other: GoldenEntry) -> Bool {
        status == other.status && fields == other.fields && body.equals(other.body)
            && (requestBody ?? .none).equals(other.requestBody ?? .none)
    }

    /// The entry as lines for people.
    var lines: [StyledText] {
        var lines = [title, status.map { "status \($0)" } ?? "no response"]
        if let requestBody, !requestBody.bytes.isEmpty {
            lines += ["request body"] + requestBody.lines.map { "  \($0)" }
        }
        lines += fields.map { "\($0.name): \($0.value)" }
        return (lines + body.lines).map { StyledText($0) }
    }
}

internal import ProxydHTTPModel
internal import ProxydRedaction
internal import FoundationEssentials

extension DataResponse: CustomStringConvertible, CustomDebugStringConvertible {
    /// The result: `success("text")`, `success(5 bytes)`, `failure(…)`.
    public var description: String { ResponseText.result(result) }

    /// Request, response, durations and result, for debugging. Secrets in header fields, the URL,
    /// forms and JSON are left out as in `cURLDescription()`, but not in the value; bodies are
    /// shown if they are short text.
    public var debugDescription: String {
        guard let request else { return "[Request]: None\n[Result]: \(description)" }
        var lines = [ResponseText.request(request)]
        if let response {
            lines.append(ResponseText.head(response))
            lines.append(ResponseText.body(data ?? [], fields: response.fields))
        } else {
            lines.append("[Response]: None")
        }
        lines += ResponseText.durations(timeline)
        lines.append("[Result]: \(description)")
        return lines.joined(separator: "\n")
    }
}

extension DownloadResponse: CustomStringConvertible, CustomDebugStringConvertible {
    /// The result: `success(file:///tmp/a)`, `failure(…)`.
    public var description: String { ResponseText.result(result) }

    /// Request, response, file, durations and result, for debugging. Secrets are left out as in the
    /// `debugDescription` of a `DataResponse`.
    public var debugDescription: String {
        guard let request else { return "[Request]: None\n[Result]: \(description)" }
        var lines = [ResponseText.request(request)]
        lines.append(response.map(ResponseText.head) ?? "[Response]: None")
        lines.append("[File URL]: \(fileURL?.path(percentEncoded: false) ?? "None")")
        lines.append("[Resume Data]: \(resumeData.map { "\($0.byteCount) bytes" } ?? "None")")
        lines += ResponseText.durations(timeline)
        lines.append("[Result]: \(description)")
        return lines.joined(separator: "\n")
    }
}

extension HTTPRequest: CustomStringConvertible, CustomDebugStringConvertible {
    /// A line such as `GET https://api.test/`, without secrets from the URL.
    public var description: String { "\(method) \(ResponseText.secrets.url(url))" }

    /// Method, URL, fields and body, as in the `debugDescription` of a response.
    public var debugDescription: String { ResponseText.request(self) }
}

/// The parts of a response's debug description, in Alamofire's format.
enum ResponseText {
    /// The longest body that is shown, in bytes.
    static let byteCountMax = 100_000

    static let secrets = LogSecrets(redaction: Redaction())

    /// A result; bytes are shown as their number.
    static func result<Value>(_ result: Result<Value, ClientError>) -> String {
        guard case .success(let value) = result else { return "\(result)" }
        if let bytes = value as? [UInt8]? {
            let count = bytes.map { "\($0.count) bytes" }
            guard Value.self == [UInt8]?.self else { return "success(\(count ?? "nil"))" }
            return "success(\(count.map { "Optional(\($0))" } ?? "nil"))"
        }
        return secrets.text("\(result)")
    }

    static func request(_ request: HTTPRequest) -> String {
        var bytes: [UInt8] = []
        if case .bytes(let body) = request.body { bytes = body }
        return [
            "[Request]: \(request.method) \(secrets.url(request.url))", fields(request.fields),
            body(bytes, fields: request.fields),
        ].joined(separator: "\n")
    }

    static func head(_ response: ResponseHead) -> String {
        "[Response]:\n    [Status Code]: \(response.status)\n\(fields(response.fields))"
    }

    static func durations(_ timeline: RequestTimeline) -> [String] {
        [
            "[Network Duration]: \(seconds(timeline.requestDuration))",
            "[Serialization Duration]: \(seconds(timeline.serializationDuration))",
        ]
    }

    private static func seconds(_ duration: Duration) -> String {
        "\(Double(duration.nanoseconds) / 1_000_000_000)s"
    }

    /// Header lines; secret values are left out.
    static func fields(_ fields: HeaderFields) -> String {
        guard !fields.isEmpty else { return "    [Headers]: None" }
        return "    [Headers]:\n" + indented("\(secrets.fields(fields))")
    }

    /// A body, if its type is textual and it is not too long.
    static func body(_ bytes: [UInt8], fields: HeaderFields) -> String {
        guard !bytes.isEmpty else { return "    [Body]: None" }
        let type = fields.value(.contentType)?.lowercased() ?? ""
        let isText = ["json", "xml", "text"].contains { type.contains($0) }
        guard isText, bytes.count <= byteCountMax, let shown = secrets.body(bytes, fields: fields)
        else { return "    [Body]: \(bytes.count) bytes" }
        return "    [Body]:\n" + indented(trimmed(ASCII.text(shown)))
    }

    private static func trimmed(_ text: String) -> String {
        guard let start = text.firstIndex(where: { !$0.isWhitespace }),
            let last = text.lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return String(text[start...last])
    }

    private static func indented(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { "        \($0)" }.joined(separator: "\n")
    }
}

internal import CurlCommand
internal import HTTPModel
internal import ParameterCoding

extension DataResponse: CustomStringConvertible, CustomDebugStringConvertible {
    /// The result.
    public var description: String {
        switch result {
        case .success(let value): "success(\(value))"
        case .failure(let error): "failure(\(error))"
        }
    }

    /// Request, response, durations and result, for a person who looks for an error. Secrets in
    /// header fields, the URL, forms and JSON are left out as in `cURLDescription()`, but not in
    /// the value; bodies are shown where they are short text.
    public var debugDescription: String {
        guard let request else { return "[Request]: None\n[Result]: \(description)" }
        var lines = ["[Request]: \(request.method) \(ResponseText.secrets.url(request.url))"]
        lines.append(ResponseText.fields(request.fields))
        if case .octets(let octets) = request.body {
            lines.append(ResponseText.body(octets, fields: request.fields))
        }
        if let response {
            lines.append("[Response]:\n    [Status Code]: \(response.status)")
            lines.append(ResponseText.fields(response.fields))
            lines.append(ResponseText.body(data ?? [], fields: response.fields))
        } else {
            lines.append("[Response]: None")
        }
        lines.append("[Network Duration]: \(timeline.requestDuration)")
        lines.append("[Serialization Duration]: \(timeline.serializationDuration)")
        lines.append("[Result]: \(description)")
        return lines.joined(separator: "\n")
    }
}

/// Parts of the text that shows a response.
enum ResponseText {
    /// The longest body that is shown, in octets.
    static let byteCountMax = 100_000

    /// What is left out.
    static let secrets = LogSecrets(redaction: Redaction())

    /// Header lines; those with secrets without their value.
    static func fields(_ fields: HeaderFields) -> String {
        let lines = secrets.fields(fields).pairs.map { "        \($0.name): \($0.value)" }
        return "    [Headers]:" + (lines.isEmpty ? " None" : "\n" + lines.joined(separator: "\n"))
    }

    /// A body, where its type says that it is text and it is not long.
    static func body(_ octets: [UInt8], fields: HeaderFields) -> String {
        guard !octets.isEmpty else { return "    [Body]: None" }
        let type = fields.value(.contentType)?.lowercased() ?? ""
        let isText = ["json", "xml", "text"].contains { type.contains($0) }
        guard isText, octets.count <= byteCountMax else {
            return "    [Body]: \(octets.count) bytes"
        }
        return "    [Body]:\n        \(ASCII.text(secrets.body(octets, fields: fields)))"
    }
}

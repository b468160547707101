public import ProxydCurlCommand
public import ProxydHTTPModel
internal import ProxydParameterCoding

/// Removes secrets from logs and descriptions.
public struct LogSecrets: Sendable {
    /// Selects the values that are secret, or nil to show everything.
    public let redaction: Redaction?

    /// Creates a filter that removes what `redaction` selects.
    public init(redaction: Redaction?) { self.redaction = redaction }

    /// The URL without the values of secret query parameters.
    public func url(_ url: RawURL) -> RawURL {
        guard let redaction else { return url }
        return RawURL(
            scheme: url.scheme, host: url.host, port: url.port,
            origin: redaction.target(url.origin))
    }

    /// A path, with its query as in a URL.
    public func path(_ path: String) -> String {
        guard let redaction else { return path }
        return ASCII.text(redaction.target(Array(path.utf8)))
    }

    /// Header fields without secret values.
    public func fields(_ fields: HeaderFields) -> HeaderFields {
        guard let redaction else { return fields }
        var shown = HeaderFields()
        for line in fields.lines {
            let value = redaction.value(
                Array(fields.bytes[line.valueRange]), ofField: fields.name(of: line))
            shown.append(name: Array(fields.bytes[line.nameRange]), value: value)
        }
        return shown
    }

    /// A body; in forms and JSON, without the values of secret parameters.
    public func body(_ bytes: [UInt8], fields: HeaderFields) -> [UInt8] {
        guard let redaction, let type = fields.value(.contentType).flatMap({ MediaType($0) })
        else { return bytes }
        if type.essence == "application/x-www-form-urlencoded" { return redaction.pairs(bytes) }
        guard type.essence.hasSuffix("/json") || type.essence.hasSuffix("+json"),
            let value = try? JSONReader().read(bytes)
        else { return bytes }
        let shown = Self.redacted(value, redaction)
        guard shown != value, let written = try? JSONWriter().write(shown) else { return bytes }
        return written
    }

    /// A form without the contents of parts with secret names; other parts as in `body`. Files and
    /// streams are unchanged, because they are not in memory.
    func form(_ form: MultipartFormData) -> MultipartFormData {
        guard let redaction else { return form }
        var shown = form
        shown.parts = form.parts.map { part in
            guard case .bytes(let bytes) = part.content else { return part }
            var shown = part
            if let name = part.name, redaction.hidesParameter(named: name) {
                shown.content = .bytes(Array(Redaction.placeholder.utf8))
            } else if let type = part.contentType {
                let fields = HeaderFields([("Content-Type", type)])
                shown.content = .bytes(body(bytes, fields: fields))
            }
            return shown
        }
        return shown
    }

    /// Recursion is safe because the reader's limits bound the nesting.
    private static func redacted(_ value: JSONValue, _ redaction: Redaction) -> JSONValue {
        switch value {
        case .array(let elements): return .array(elements.map { redacted($0, redaction) })
        case .object(let members):
            return .object(
                members.map { member in
                    let isHidden = redaction.hidesParameter(named: member.name)
                    let shown =
                        isHidden
                        ? .string(Redaction.placeholder) : redacted(member.value, redaction)
                    return JSONValue.Member(name: member.name, value: shown)
                })
        default: return value
        }
    }
}

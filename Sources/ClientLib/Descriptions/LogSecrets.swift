public import ProxydHTTPModel
public import ProxydRedaction
internal import ProxydParameterCoding

/// Removes secrets from logs and descriptions, or shows everything.
public struct LogSecrets: Sendable {
    /// What is hidden, or nil to show everything.
    public let redaction: Redaction?

    /// Creates a filter that removes what `redaction` hides.
    public init(redaction: Redaction?) { self.redaction = redaction }

    /// The URL without secrets in its user, path and query.
    public func url(_ url: RawURL) -> RawURL { redaction?.url(url) ?? url }

    /// A path, with its query as in a URL.
    public func path(_ path: String) -> String {
        guard let redaction else { return path }
        return ASCII.text(redaction.target(Array(path.utf8)))
    }

    /// Text of any syntax without secrets.
    public func text(_ text: String) -> String { redaction?.text(text) ?? text }

    /// Header fields without secret values.
    public func fields(_ fields: HeaderFields) -> HeaderFields {
        redaction?.fields(fields) ?? fields
    }

    /// A body without secrets; nil if it cannot be searched for them, and must not be shown.
    public func body(_ bytes: [UInt8], fields: HeaderFields) -> [UInt8]? {
        guard let redaction else { return bytes }
        return redaction.body(bytes, fields: fields)
    }

    /// A form without the contents of parts with secret names; other parts as in `body`. Files and
    /// streams are unchanged, because they are not in memory.
    func form(_ form: MultipartFormData) -> MultipartFormData {
        guard let redaction else { return form }
        var shown = form
        shown.parts = form.parts.map { part in
            guard case .bytes(let bytes) = part.content else { return part }
            var shown = part
            let isHidden = part.name.map(redaction.hidesParameter) ?? false
            let fields = HeaderFields(part.contentType.map { [("Content-Type", $0)] } ?? [])
            let content = isHidden ? nil : redaction.body(bytes, fields: fields)
            shown.content = .bytes(content ?? Array(Redaction.placeholder.utf8))
            return shown
        }
        return shown
    }
}

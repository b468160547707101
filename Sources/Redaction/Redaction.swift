public import ProxydHTTPModel

/// Removes credentials from anything that is shown, exported, logged or passed on: the one place
/// that decides what a credential is, and where it may be.
///
/// By default it knows the names of credentials (`password`, `user[api_token]`, `X-Api-Key`) and
/// their shapes (JSON Web Tokens, private keys, keys of well-known services). What it cannot read
/// is removed. docs/THREATS.md says what is promised and what is not.
public struct Redaction: Sendable, Hashable {
    /// The replacement for a credential; it needs no escaping in a URL, a form or a field.
    public static let placeholder = "REDACTED"

    let names: SecretNames
    var scanner: SecretScanner { SecretScanner(names) }

    private init(_ names: SecretNames) { self.names = names }

    private static let usual = Redaction(SecretNames(adding: [], parameters: []))

    /// Creates a redaction that hides every credential that it can recognise.
    public init() { self = Redaction.usual }

    /// Creates a redaction that also hides the values of these names.
    /// - Parameters:
    ///   - fields: Names of header fields, cookies excepted: the value of each cookie is hidden.
    ///   - parameters: Names in queries, forms, JSON and other texts. Case, `-` and `_` are
    ///     ignored, and a part of a compound name matches, as `password` does in `user[password]`.
    public init(addingFields fields: [String], parameters: [String] = []) {
        self =
            fields.isEmpty && parameters.isEmpty
            ? Redaction.usual : Redaction(SecretNames(adding: fields, parameters: parameters))
    }

    /// Creates a redaction that hides the values of exactly these names.
    public init(onlyFields fields: [String], parameters: [String] = []) {
        self.init(SecretNames(only: fields, parameters: parameters))
    }

    public func hidesField(named name: String) -> Bool { names.hidesField(name) }

    /// Whether the values of a parameter are hidden; the name is decoded.
    public func hidesParameter(named name: String) -> Bool { names.hint(name).isCertain }

    /// Whether a header field is known to carry credentials, and so identifies the client.
    package func isCredentialField(_ name: String) -> Bool { names.isCredentialField(name) }

    /// Whether there are credentials in text of any syntax.
    package func containsSecrets(_ bytes: [UInt8]) -> Bool { scanner.containsSecrets(bytes.span) }

    /// Text of any syntax without credentials: an error message, a note, a line of a log.
    public func text(_ text: String) -> String {
        scanner.redacted(Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) } ?? text
    }

    /// An applied rule whose detail has no credentials; the names of rules stay.
    package func rule(_ rule: AppliedRule) -> AppliedRule {
        AppliedRule(
            rule: rule.rule, phase: rule.phase, outcome: rule.outcome,
            detail: rule.detail.map(text))
    }

    /// A body without credentials; nil if it cannot be read, and must not be shown.
    public func body(_ bytes: [UInt8], fields: HeaderFields) -> [UInt8]? {
        switch BodyRedactor(self).change(Body(bytes), fields, isOpaque: false) {
        case .unchanged: bytes
        case .replaced(let changed, _): changed
        case .removed: nil
        }
    }

    /// A URL without credentials in its user, path and query.
    public func url(_ url: RawURL) -> RawURL { HeadRedactor(self).url(url) }

    /// A request target, or a text like it, without credentials.
    public func target(_ bytes: [UInt8]) -> [UInt8] { HeadRedactor(self).target(bytes) }

    /// A field's value without credentials; the scheme of `Authorization` and cookies' names stay.
    public func value(_ value: [UInt8], ofField name: String) -> [UInt8] {
        HeadRedactor(self).value(value, of: name)
    }

    public func fields(_ fields: HeaderFields) -> HeaderFields {
        var shown = HeaderFields()
        for line in fields.lines {
            let value = value(Array(fields.bytes[line.valueRange]), ofField: fields.name(of: line))
            shown.append(name: Array(fields.bytes[line.nameRange]), value: value)
        }
        return shown
    }
}

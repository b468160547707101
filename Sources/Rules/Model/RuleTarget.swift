public import ProxydParameterCoding

/// A part of a message that an action changes.
public enum RuleTarget: Sendable, Hashable {
    /// The field lines of a name, in any case.
    case header(String)
    /// A cookie: of Cookie in a request, of Set-Cookie in a response.
    case cookie(String)
    /// The pairs of a decoded name in the query.
    case queryPair(String)
    /// The query as it is written.
    case query
    /// The pairs of a decoded name in a form.
    case form(String)
    /// A value in a JSON body.
    case json(JSONValuePath)
    /// The method.
    case method
    /// The path as it is written, without the query.
    case path
    /// The whole URL as it is written.
    case url
    /// The status code.
    case status
    /// The reason phrase.
    case reason
    /// The body, its content codings undone.
    case body

    /// Whether a value of it can be left out of the record: those of a URL stand in messages, too.
    var canBeSecret: Bool {
        switch self {
        case .header, .cookie, .queryPair, .form, .json, .body: true
        case .query, .method, .path, .url, .status, .reason: false
        }
    }

    /// Whether the body is needed to change it.
    var isInBody: Bool {
        switch self {
        case .form, .json, .body: true
        default: false
        }
    }
}

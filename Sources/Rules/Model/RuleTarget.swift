public import ProxydParameterCoding

/// A part of a message that an action changes.
public enum RuleTarget: Sendable, Hashable {
    /// The header fields of a name, ignoring case.
    case header(String)
    /// A cookie: in Cookie of a request, in Set-Cookie of a response.
    case cookie(String)
    /// The query pairs with a name, which is compared decoded.
    case queryPair(String)
    /// The query in its encoded form.
    case query
    /// The form pairs with a name, which is compared decoded.
    case form(String)
    /// A value in a JSON body.
    case json(JSONValuePath)
    /// The request method.
    case method
    /// The path in its encoded form, without the query.
    case path
    /// The whole URL in its encoded form.
    case url
    /// The status code.
    case status
    /// The reason phrase.
    case reason
    /// The body with its content codings removed.
    case body

    /// Whether its value can be kept out of the record; parts of a URL also appear in messages.
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

/// One change to a request before it is sent again.
public enum ReplayEdit: Sendable, Hashable {
    /// One line of the name, at the place of the first; nil removes all.
    case header(name: String, value: String?)
    /// The first pair of the name in the query, or a new last one; nil removes all of the name.
    case query(name: String, value: String?)
    /// The first pair of the name in the form, or a new last one; nil removes all of the name.
    case form(name: String, value: String?)
    /// A value in the JSON body: JSON, or else a string; nil removes it. Paths are written as
    /// `a.x[2].y`, a name with a dot as `a["x.y"]`.
    case json(path: String, value: String?)
    /// The method.
    case method(String)
    /// The whole URL, or with `/` first its path and query.
    case url(String)

    /// Reads `header:NAME=VALUE`, `query:NAME=VALUE`, `form:NAME=VALUE`, `json:PATH=VALUE`,
    /// `method=METHOD`, `url=URL`.
    /// - Throws: `.edit` with `.unknownForm`.
    public init(setting text: String) throws(ReplayRefusal) {
        if let value = text.dropping("method=") {
            self = .method(value)
        } else if let value = text.dropping("url=") {
            self = .url(value)
        } else if let rest = text.dropping("json:"), let (path, value) = Self.split(rest) {
            self = .json(path: path, value: value)
        } else {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { throw .edit(text, .unknownForm) }
            try self.init(target: String(parts[0]), value: String(parts[1]), text)
        }
    }

    /// Reads `header:NAME`, `query:NAME`, `form:NAME` or `json:PATH`, to be taken away.
    /// - Throws: `.edit` with `.unknownForm`.
    public init(removing text: String) throws(ReplayRefusal) {
        if let path = text.dropping("json:"), !path.isEmpty {
            self = .json(path: path, value: nil)
        } else {
            try self.init(target: text, value: nil, text)
        }
    }

    private init(target: String, value: String?, _ text: String) throws(ReplayRefusal) {
        if let name = target.dropping("header:"), !name.isEmpty {
            self = .header(name: name, value: value)
        } else if let name = target.dropping("query:") {
            self = .query(name: name, value: value)
        } else if let name = target.dropping("form:") {
            self = .form(name: name, value: value)
        } else {
            throw .edit(text, .unknownForm)
        }
    }

    /// A path and what is behind its `=`: one inside `["…"]` belongs to the path.
    private static func split(_ text: String) -> (String, String)? {
        var isQuoted = false
        var isEscaped = false
        for index in text.utf8.indices {
            switch text.utf8[index] {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\") where isQuoted: isEscaped = true
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: "=") where !isQuoted:
                return (
                    String(text[..<index]), String(text[text.utf8.index(after: index)...])
                )
            default: break
            }
        }
        return nil
    }
}

extension ReplayEdit: CustomStringConvertible {
    /// What is edited, without the value: `header:NAME`.
    public var description: String {
        switch self {
        case .header(let name, _): "header:\(name)"
        case .query(let name, _): "query:\(name)"
        case .form(let name, _): "form:\(name)"
        case .json(let path, _): "json:\(path)"
        case .method: "method"
        case .url: "url"
        }
    }
}

extension String {
    fileprivate func dropping(_ prefix: String) -> String? {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
    }
}

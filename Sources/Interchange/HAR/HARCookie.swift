internal import ProxydCivilTime
internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydParameterCoding

/// Cookies in HAR format: each field line contributes its own cookies, without folding or decoding.
enum HARCookie {
    /// The cookies of a request: `name=value` pairs of its Cookie lines (RFC 6265 §4.2).
    static func requestCookies(_ fields: HeaderFields?) -> [JSONValue] {
        (fields?.values(named: "Cookie") ?? []).flatMap { line in
            line.split(separator: ";").map { pair in
                let (name, value) = split(pair)
                return .members([("name", .string(name)), ("value", .string(value))])
            }
        }
    }

    /// The cookies of a response, one for each Set-Cookie line (RFC 6265 §4.1).
    static func responseCookies(_ fields: HeaderFields) -> [JSONValue] {
        fields.values(named: "Set-Cookie").map { line in
            let parts = line.split(separator: ";", omittingEmptySubsequences: false)
            let (name, value) = split(parts.first ?? "")
            return .members(
                [("name", .string(name)), ("value", .string(value))]
                    + attributes(parts.dropFirst().map(split)))
        }
    }

    /// HAR's own attributes under their names; others with an underscore before the name.
    private static func attributes(_ pairs: [(String, String)]) -> [(String, JSONValue)] {
        var members: [(String, JSONValue)] = []
        var isHTTPOnly = false
        var isSecure = false
        for (name, value) in pairs {
            switch name.lowercased() {
            case "path": members.append(("path", .string(value)))
            case "domain": members.append(("domain", .string(value)))
            case "expires":
                let moment = CookieDateReader.nanosecondsSinceEpoch(value.utf8)
                members.append(("expires", .text(moment.map(RFC3339.text(nanoseconds:)))))
                if moment == nil { members.append(("_expires", .string(value))) }
            case "httponly": isHTTPOnly = true
            case "secure": isSecure = true
            case "samesite": members.append(("_sameSite", .string(value)))
            case "max-age": members.append(("_maxAge", .string(value)))
            case "": break
            default: members.append(("_\(name)", .string(value)))
            }
        }
        return members + [("httpOnly", .bool(isHTTPOnly)), ("secure", .bool(isSecure))]
    }

    private static func split(_ pair: Substring) -> (String, String) {
        guard let equals = pair.firstIndex(of: "=") else { return (trimmed(pair), "") }
        return (trimmed(pair[..<equals]), trimmed(pair[pair.index(after: equals)...]))
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text.drop { $0 == " " || $0 == "\t" }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return String(text)
    }
}

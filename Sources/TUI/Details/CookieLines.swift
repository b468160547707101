internal import ProxydPresentation
internal import ProxydHTTPModel

/// The cookies that were sent, and those that were set, with their attributes.
struct CookieLines {
    let exchange: Exchange

    func lines() -> [StyledText] {
        var lines = [StyledText("request", .heading)]
        let sent = exchange.request.head?.fields.values(named: "Cookie") ?? []
        let pairs = sent.flatMap { $0.split(separator: ";") }
        lines += pairs.map { CookieLines.line($0) }
        if pairs.isEmpty { lines.append(StyledText("  no cookies were sent", .dim)) }
        lines += [StyledText(), StyledText("response", .heading)]
        let set = exchange.response?.head.fields.values(named: "Set-Cookie") ?? []
        for cookie in set {
            // The first part is the cookie, the others are its attributes (RFC 6265 §5.2).
            let pieces = cookie.split(separator: ";", omittingEmptySubsequences: false)
            lines.append(CookieLines.line(pieces.first ?? ""))
            lines += pieces.dropFirst().map { CookieLines.attribute($0) }
        }
        if set.isEmpty { lines.append(StyledText("  no cookies were set", .dim)) }
        return lines
    }

    private static func line(_ piece: Substring) -> StyledText {
        let (name, value) = parts(piece)
        var line = StyledText()
        line.appendIndent(2)
        line.append(name, .key)
        if let value {
            line.append(" = ", .punctuation)
            line.append(value, .string)
        }
        return line
    }

    private static func attribute(_ piece: Substring) -> StyledText {
        let (name, value) = parts(piece)
        var line = StyledText()
        line.appendIndent(6)
        line.append(name, .attribute)
        if let value {
            line.append(" ", .plain)
            line.append(value, .plain)
        }
        return line
    }

    private static func parts(_ piece: Substring) -> (String, String?) {
        guard let equals = piece.firstIndex(of: "=") else { return (trimmed(piece), nil) }
        return (trimmed(piece[..<equals]), trimmed(piece[piece.index(after: equals)...]))
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text.drop { $0 == " " || $0 == "\t" }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return String(text)
    }
}

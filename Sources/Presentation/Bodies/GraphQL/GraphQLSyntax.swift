/// Syntax colours for a line of a GraphQL document.
enum GraphQLSyntax {
    private static let keywords: Set<Substring> = [
        "query", "mutation", "subscription", "fragment", "on", "true", "false", "null",
    ]

    static func line(_ text: String) -> StyledText {
        var line = StyledText()
        var rest = text[...]
        while let first = rest.first {
            let (piece, style) = next(rest, first)
            line.append(String(piece), style)
            rest = rest[piece.endIndex...]
        }
        return line
    }

    private static func next(_ rest: Substring, _ first: Character) -> (Substring, Style) {
        switch first {
        case "#": return (rest, .comment)
        case "\"": return (string(rest), .string)
        case "$", "@":
            let end = rest.dropFirst().firstIndex { !isName($0) } ?? rest.endIndex
            return (rest[..<end], .key)
        case _ where isName(first):
            let word = rest.prefix(while: isName)
            if keywords.contains(word) { return (word, .keyword) }
            return (word, first.isNumber ? .number : .plain)
        default:
            return (rest.prefix { !isName($0) && !"#\"$@".contains($0) }, .punctuation)
        }
    }

    /// The part of a string that is on this line.
    private static func string(_ rest: Substring) -> Substring {
        var isEscaped = false
        for index in rest.indices.dropFirst() {
            if isEscaped {
                isEscaped = false
            } else if rest[index] == "\\" {
                isEscaped = true
            } else if rest[index] == "\"" {
                return rest[...index]
            }
        }
        return rest
    }

    private static func isName(_ character: Character) -> Bool {
        character == "_" || character.isLetter || character.isNumber
    }
}

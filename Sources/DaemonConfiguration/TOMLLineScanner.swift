/// Tells what each line of a valid TOML text starts: a table, a key, or neither.
struct TOMLLineScanner {
    /// What a line starts.
    enum Start: Equatable {
        /// `[a.b]` or `[[a.b]]`.
        case table([String])
        /// `a.b = …`.
        case key([String])
        /// A comment, nothing, or the inside of a value.
        case other
    }

    /// What the end of a line leaves open.
    private enum Open: Equatable {
        case nothing
        case brackets(depth: Int)
        case multilineString(quote: Character, depth: Int)
    }

    private var open = Open.nothing

    /// Reads the next line, without its line feed.
    mutating func read(_ line: Substring) -> Start {
        guard open == .nothing else {
            skipValue(line)
            return .other
        }
        let content = line.drop(while: \.isWhitespace)
        guard let first = content.first, first != "#" else { return .other }
        if first == "[" {
            return .table(Self.keyPath(content.drop { $0 == "[" }).path)
        }
        let (path, rest) = Self.keyPath(content)
        skipValue(rest)
        return .key(path)
    }

    /// Reads a dotted key; stops at the first character that does not belong to it.
    private static func keyPath(_ text: Substring) -> (path: [String], rest: Substring) {
        var path: [String] = []
        var rest = text
        while true {
            rest = rest.drop { $0 == " " || $0 == "\t" }
            if let quote = rest.first, quote == "\"" || quote == "'" {
                let inside = rest.dropFirst()
                let name = inside.prefix { $0 != quote }
                path.append(String(name))
                rest = inside.dropFirst(name.count + 1)
            } else {
                let name = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }
                path.append(String(name))
                rest = rest.dropFirst(name.count)
            }
            rest = rest.drop { $0 == " " || $0 == "\t" }
            guard rest.first == "." else { return (path, rest) }
            rest = rest.dropFirst()
        }
    }

    /// Follows strings and brackets through a line, so that `open` is right at its end.
    private mutating func skipValue(_ line: Substring) {
        var rest = line
        while !rest.isEmpty {
            switch open {
            case .multilineString(let quote, let depth):
                rest = skipMultilineString(rest, quote: quote, depth: depth)
            case .nothing: rest = skipOne(rest, depth: 0)
            case .brackets(let depth): rest = skipOne(rest, depth: depth)
            }
        }
    }

    private mutating func skipMultilineString(
        _ text: Substring,
        quote: Character,
        depth: Int
    ) -> Substring {
        if quote == "\"", text.first == "\\" { return text.dropFirst(2) }
        guard text.hasPrefix(String(repeating: quote, count: 3)) else { return text.dropFirst() }
        open = Self.afterValue(depth)
        // Up to two quotes more belong to the string's content.
        return text.drop { $0 == quote }
    }

    private mutating func skipOne(_ text: Substring, depth: Int) -> Substring {
        guard let first = text.first else { return text }
        switch first {
        case "#": return text.suffix(0)
        case "\"", "'":
            if text.hasPrefix(String(repeating: first, count: 3)) {
                open = .multilineString(quote: first, depth: depth)
                return text.dropFirst(3)
            }
            return Self.afterString(text.dropFirst(), quote: first)
        case "[", "{": open = .brackets(depth: depth + 1)
        case "]", "}": open = Self.afterValue(depth - 1)
        default: break
        }
        return text.dropFirst()
    }

    private static func afterString(_ text: Substring, quote: Character) -> Substring {
        var rest = text
        while let next = rest.first, next != quote {
            rest = rest.dropFirst(quote == "\"" && next == "\\" ? 2 : 1)
        }
        return rest.dropFirst()
    }

    private static func afterValue(_ depth: Int) -> Open {
        depth > 0 ? .brackets(depth: depth) : .nothing
    }
}

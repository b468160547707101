extension Filter {
    /// The conditions that a filter joins with `and` outside of parentheses, as written. A filter
    /// that is not such a conjunction, or not valid, is its own only part.
    package static func parts(of text: String) -> [String] {
        guard (try? parse(text, now: 0)) != nil,
            let tokens = try? FilterTokenizer<FilterTestBuilder>.tokens(of: text)
        else { return [text] }
        var ranges: [(start: Int, end: Int?)] = []
        var (depth, isNegated) = (0, false)
        for token in tokens {
            let isOutside = depth == 0
            if isOutside, ranges.last?.end == nil, !isNegated, !ranges.isEmpty {
                ranges[ranges.count - 1].end = token.column
            }
            switch token.kind {
            case .or where isOutside: return [text]
            case .and where isOutside: continue
            case .close:
                depth -= 1
                continue
            case .open: depth += 1
            case .and, .or, .not, .word, .test, .mitmproxy: break
            }
            if isOutside, !isNegated { ranges.append((token.column, nil)) }
            if isOutside { isNegated = if case .not = token.kind { true } else { false } }
        }
        let scalars = Array(text.unicodeScalars)
        return ranges.map { range in
            let end = min(range.end ?? scalars.count + 1, scalars.count + 1)
            var part = String.UnicodeScalarView()
            part.append(contentsOf: scalars[(range.start - 1)..<(end - 1)])
            return trimmed(String(part))
        }
    }

    private static func trimmed(_ text: String) -> String {
        var text = text[...]
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}

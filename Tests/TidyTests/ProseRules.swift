import Foundation

/// Words that comments, test names and messages avoid, because a plainer one says the same.
enum ProseRules {
    struct Word {
        let pattern: String
        let instead: String
    }

    /// Avoided in every comment, name of a test and document, and in the messages of the programs.
    static let words = [
        // A member of that name may be in code that a message shows.
        Word(pattern: #"(?<!\.)\boctets?\b(?!-stream)"#, instead: "byte"),
        Word(pattern: #"\bnobody\b"#, instead: "no one"),
        Word(pattern: #"\bsomebody\b"#, instead: "someone"),
        Word(pattern: #"\banybody\b"#, instead: "anyone"),
        Word(pattern: #"\bfor ever\b"#, instead: "forever"),
        Word(pattern: #"\bbehind each other\b"#, instead: "one after another"),
        Word(pattern: #"\bin words\b"#, instead: "as text"),
        Word(pattern: #"\blegs?\b"#, instead: "connection or side"),
        Word(pattern: #"(?<!there )\bis none\b"#, instead: "is not"),
        Word(pattern: #"\bstands? (?:in|for|beside)\b"#, instead: "is"),
        Word(pattern: #"\bso many\b"#, instead: "this many"),
        Word(pattern: #"\btells? of\b"#, instead: "reports"),
        Word(pattern: #"\bat once\b"#, instead: "immediately, at a time"),
    ]

    /// Avoided in names of types, members and variables, but for OpenSSL's constants in capitals.
    private static let parts = [
        Word(pattern: "(?-i:[oO]ctet)", instead: "byte"),
        Word(pattern: #"(?-i:Desk(?!top)|\bdesk(?!top))"#, instead: "broker, pool or queue"),
        Word(pattern: #"(?-i:Shel(?:f|ves)|\bshel(?:f|ves))"#, instead: "cache or store"),
        Word(pattern: #"(?-i:(?<![iI]n)Flight|\bflight)"#, instead: "inFlight, call or request"),
        Word(pattern: #"(?-i:Lane|\blane)"#, instead: "queue"),
        Word(pattern: #"(?-i:Door|\bdoor)"#, instead: "entry or access"),
        Word(pattern: "(?-i:MessageMessage)", instead: "Message"),
        Word(pattern: "(?-i:[tT]ellsWhat)", instead: "what it is: isMultiplexed"),
        Word(pattern: #"(?-i:\bhouse\()"#, instead: "local("),
    ]

    static func findings(in file: SourceFile) -> [Finding] {
        let isOfSources = file.path.hasPrefix("Sources/")
        var scanner = ProseScanner()
        return file.lines.indices.flatMap { index in
            let line = scanner.scan(file.lines[index])
            // Columns of stores, which agents may query, and keys of the control socket are named
            // `octets`.
            let isExempt = ["Capture", "CentralStore", "CaptureModel", "Control", "Agents"]
                .contains(file.module)
            let strings = isExempt || !isOfSources ? [] : line.strings
            let prose = (line.comments + strings).flatMap { findings(words, in: $0) }
            return (prose + findings(parts, in: line.code)).map {
                Finding(file: file.path, line: index + 1, message: $0)
            }
        }
    }

    /// - Parameter text: The lines of a document; code is not checked.
    static func findings(inDocument path: String, _ text: String) -> [Finding] {
        var isInCode = false
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.enumerated().flatMap { number, line -> [Finding] in
            if line.hasPrefix("```") { isInCode.toggle() }
            guard !isInCode else { return [] }
            return findings(words, in: ProseScanner.withoutCode(String(line))).map {
                Finding(file: path, line: number + 1, message: $0)
            }
        }
    }

    private static func findings(_ words: [Word], in text: String) -> [String] {
        guard !text.isEmpty else { return [] }
        // Most texts have none of them: one search says so.
        let any = words.map(\.pattern).joined(separator: "|")
        guard text.range(of: any, options: [.regularExpression, .caseInsensitive]) != nil else {
            return []
        }
        return words.compactMap { word in
            text.range(of: word.pattern, options: [.regularExpression, .caseInsensitive]).map {
                "“\(text[$0])”: say \(word.instead)"
            }
        }
    }
}

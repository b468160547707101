import Foundation

/// Words that comments, test names and messages avoid, because a plainer one says the same.
enum ProseRules {
    struct Word {
        let pattern: String
        let instead: String
    }

    /// Avoided in every comment, name of a test and document.
    static let words = [
        // A member of that name may be in code that a message shows.
        Word(pattern: #"(?<!\.)\boctets?\b(?!-stream)"#, instead: "byte"),
        Word(pattern: #"\bnobody\b"#, instead: "no one"),
        Word(pattern: #"\bsomebody\b"#, instead: "someone"),
        Word(pattern: #"\bfor ever\b"#, instead: "forever"),
        Word(pattern: #"\bbehind each other\b"#, instead: "one after another"),
        Word(pattern: #"\bin words\b"#, instead: "as text"),
    ]

    /// Avoided in the comments and messages of the programs, too.
    static let wordsOfSources =
        words + [
            Word(pattern: #"\blegs?\b"#, instead: "connection or side"),
            Word(pattern: #"(?<!there )\bis none\b"#, instead: "is not"),
            Word(pattern: #"\bstands? (?:in|for|beside)\b"#, instead: "is"),
            Word(pattern: #"\bso many\b"#, instead: "this many"),
            Word(pattern: #"\btells? of\b"#, instead: "reports"),
            Word(pattern: #"\bat once\b"#, instead: "immediately, at a time"),
        ]

    static func findings(in file: SourceFile) -> [Finding] {
        let isOfSources = file.path.hasPrefix("Sources/")
        let words = isOfSources ? wordsOfSources : words
        var scanner = ProseScanner()
        return file.lines.indices.flatMap { index in
            let line = scanner.scan(file.lines[index])
            // The store's tables have columns named `octets`.
            let strings = file.module == "Capture" || !isOfSources ? [] : line.strings
            return (line.comments + strings).flatMap { findings(in: $0, words) }.map {
                Finding(file: file.path, line: index + 1, message: $0)
            }
        }
    }

    /// - Parameter text: The lines of a document; text in backticks is a name and not checked.
    static func findings(inDocument path: String, _ text: String) -> [Finding] {
        text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().flatMap {
            number, line in
            findings(in: ProseScanner.withoutCode(String(line)), words).map {
                Finding(file: path, line: number + 1, message: $0)
            }
        }
    }

    private static func findings(in text: String, _ words: [Word]) -> [String] {
        words.compactMap { word in
            text.range(of: word.pattern, options: [.regularExpression, .caseInsensitive]).map {
                "“\(text[$0])”: say \(word.instead)"
            }
        }
    }
}

internal import ProxydTerminalText

/// A command to be copied from the screen into a shell: one line where that fits, else broken
/// between its words.
struct ShellLines: ExpressibleByArrayLiteral {
    private static let indentation = "  "
    private static let continuation = " \\"

    /// What stays together where there is room, as an option and its value do.
    private let parts: [String]

    init(arrayLiteral parts: String...) { self.parts = parts }

    /// The lines, indented; one is wider than asked for only where a single word is.
    func lines(width: Int) -> [String] {
        let whole = ShellLines.indentation + parts.joined(separator: " ")
        if TerminalText.displayWidth(whole) <= width { return [whole] }
        let further = ShellLines.indentation + ShellLines.indentation
        let room = width - further.count - ShellLines.continuation.count
        let pieces = parts.flatMap { part in
            TerminalText.displayWidth(part) <= room ? [part] : ShellLines.words(part)
        }
        return pieces.enumerated().map { index, piece in
            (index == 0 ? ShellLines.indentation : further) + piece
                + (index == pieces.count - 1 ? "" : ShellLines.continuation)
        }
    }

    /// The words of a part; blanks within quotes are no ends of words.
    private static func words(_ part: String) -> [String] {
        var words: [String] = []
        var word = ""
        var quote: Character?
        var isEscaped = false
        for character in part {
            if character == " ", quote == nil, !isEscaped {
                words.append(word)
                word = ""
                continue
            }
            word.append(character)
            if isEscaped {
                isEscaped = false
            } else if character == "\\", quote != "'" {
                isEscaped = true
            } else if character == quote {
                quote = nil
            } else if quote == nil, character == "'" || character == "\"" {
                quote = character
            }
        }
        return words + [word]
    }
}

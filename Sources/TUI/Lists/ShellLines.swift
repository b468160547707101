internal import ProxydTerminalText

/// A command to be copied from the screen to a shell: one line if it fits, otherwise broken between
/// words.
struct ShellLines: ExpressibleByArrayLiteral {
    private static let indentation = "  "
    private static let continuation = " \\"

    /// Parts that stay together if possible, such as an option and its value.
    private let parts: [String]

    init(arrayLiteral parts: String...) { self.parts = parts }

    /// The lines, indented; a line exceeds the width only if it is a single word.
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

    /// The words of a part; spaces within quotes do not end a word.
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

/// Splits a command into words as bash does (POSIX shell §2.2 and §2.3, and `$'…'`), as far as
/// pasted commands need it: nothing is expanded or run.
struct ShellWords {
    private var rest: Substring.UnicodeScalarView
    private var words: [String] = []
    private var word = String.UnicodeScalarView()
    private var isInWord = false

    /// The words of a command.
    static func words(of text: String) throws(CurlProblem) -> [String] {
        var reader = ShellWords(rest: text.unicodeScalars[...])
        try reader.readAll()
        return reader.words
    }

    private init(rest: Substring.UnicodeScalarView) { self.rest = rest }

    private mutating func readAll() throws(CurlProblem) {
        while let scalar = rest.popFirst() {
            switch scalar {
            case " ", "\t", "\r", "\n": endWord()
            case "'": try readQuoted()
            case "\"": try readDoubleQuoted()
            case "$" where rest.first == "'":
                rest.removeFirst()
                try readEscaped()
            case "\\": readBackslash()
            case "|", ";", "&", "<", ">", "`", "(", ")":
                throw CurlProblem("expected a single curl command without \(scalar)")
            case "#" where !isInWord:
                rest = rest.drop { $0 != "\n" }
            default: append(scalar)
            }
        }
        endWord()
    }

    private mutating func append(_ scalar: Unicode.Scalar) {
        word.append(scalar)
        isInWord = true
    }

    private mutating func endWord() {
        if isInWord { words.append(String(word)) }
        word = String.UnicodeScalarView()
        isInWord = false
    }

    /// A backslash quotes the next character; at the end of a line it joins the line with the next.
    private mutating func readBackslash() {
        guard let scalar = rest.popFirst() else { return append("\\") }
        if scalar == "\r", rest.first == "\n" {
            rest.removeFirst()
        } else if scalar != "\n" {
            append(scalar)
        }
    }

    private mutating func readQuoted() throws(CurlProblem) {
        isInWord = true
        while let scalar = rest.popFirst() {
            if scalar == "'" { return }
            append(scalar)
        }
        throw .unclosed
    }

    private mutating func readDoubleQuoted() throws(CurlProblem) {
        isInWord = true
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\"": return
            case "\\":
                guard let next = rest.popFirst() else { throw .unclosed }
                if next == "\n" { continue }
                if !["\"", "\\", "$", "`"].contains(next) { append("\\") }
                append(next)
            default: append(scalar)
            }
        }
        throw .unclosed
    }

    /// `$'…'`, which browsers copy if a value contains quotes or control characters.
    private mutating func readEscaped() throws(CurlProblem) {
        isInWord = true
        while let scalar = rest.popFirst() {
            if scalar == "'" { return }
            guard scalar == "\\" else {
                append(scalar)
                continue
            }
            guard let next = rest.popFirst() else { throw .unclosed }
            switch next {
            case "n": append("\n")
            case "r": append("\r")
            case "t": append("\t")
            case "x": append(readDigits(atMost: 2))
            case "u": append(readDigits(atMost: 4))
            case "U": append(readDigits(atMost: 8))
            case "\\", "'", "\"", "?": append(next)
            default:
                append("\\")
                append(next)
            }
        }
        throw .unclosed
    }

    private mutating func readDigits(atMost count: Int) -> Unicode.Scalar {
        var value: UInt32 = 0
        for _ in 0..<count {
            guard let scalar = rest.first, let digit = Character(scalar).hexDigitValue else {
                break
            }
            rest.removeFirst()
            value = value << 4 | UInt32(digit)
        }
        return Unicode.Scalar(value) ?? "\u{FFFD}"
    }
}

/// Why a text cannot be imported as a curl command.
public struct CurlProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// The message for users.
    public let description: String

    init(_ description: String) { self.description = description }

    static let unclosed = CurlProblem(
        "a quotation mark is not closed: was the whole command copied?")
}

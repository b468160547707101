internal import ProxydHTTPModel

/// Splits a command into words as bash does (POSIX shell §2.2 and §2.3, and `$'…'`), as far as
/// pasted commands need it: nothing is expanded or run.
struct ShellWords {
    private var rest: Substring.UnicodeScalarView
    private var words: [String] = []
    private var word = String.UnicodeScalarView()
    private var isInWord = false

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
            case "#" where !isInWord: rest = rest.drop { $0 != "\n" }
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

public struct CurlProblem: Error, Sendable, Hashable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }

    static let unclosed = CurlProblem(
        "a quotation mark is not closed: was the whole command copied?")
}

/// Quoting for a POSIX shell (POSIX 2008, Shell Command Language §2.2.2).
public enum ShellWord {
    /// Returns a text as one word that a shell passes on unchanged, whatever it contains: within
    /// single quotes no character is special, and a single quote itself is written outside of them.
    public static func quoted(_ text: String) -> String {
        "'"
            + text.split(separator: "'", omittingEmptySubsequences: false)
            .joined(separator: "'\\''") + "'"
    }

    package static func plainOrQuoted(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy {
            ASCII.isAlphanumeric($0) || "_-./:=@%+,".utf8.contains($0)
        }
        return isPlain && !text.isEmpty ? text : quoted(text)
    }

    /// Returns bytes as one word that a shell passes on unchanged. Anything but plain text is
    /// written as `"$(printf …)"`, so that the command itself stays printable UTF-8. A program
    /// argument cannot contain NUL, so the caller must not pass one.
    public static func quoted(_ bytes: [UInt8]) -> String {
        if let text = plainText(bytes) { return quoted(text) }
        // A command substitution drops line feeds at the end, so they are appended after it.
        let kept = bytes.prefix(bytes.count - bytes.reversed().prefix { $0 == 0x0A }.count)
        let lineFeeds = String(repeating: "\n", count: bytes.count - kept.count)
        let substitution = "\"$(printf '\(printfFormat(kept))')\""
        return lineFeeds.isEmpty ? substitution : substitution + "'\(lineFeeds)'"
    }

    /// Returns the bytes as text if it is safe to show and to paste: UTF-8 whose only control
    /// characters are line feed and tab. Others would affect a terminal, and a shell cannot pass
    /// NUL.
    public static func plainText(_ bytes: [UInt8]) -> String? {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        let isPlain = text.unicodeScalars.allSatisfy { scalar in
            switch scalar.value {
            case 0x09, 0x0A: true
            case 0..<0x20, 0x7F..<0xA0: false
            default: true
            }
        }
        return isPlain ? text : nil
    }

    /// Returns a format with which `printf` of any POSIX shell writes the bytes: letters and a few
    /// other characters as they are, the rest as three octal digits. It must be placed within
    /// single quotes.
    public static func printfFormat(_ bytes: some Collection<UInt8>) -> String {
        var format: [UInt8] = []
        format.reserveCapacity(bytes.count * 2)
        for byte in bytes {
            // A format must not start with a minus sign, or it would be an option.
            if isLiteral(byte) && !(format.isEmpty && byte == UInt8(ascii: "-")) {
                format.append(byte)
            } else {
                format.append(UInt8(ascii: "\\"))
                format.append(0x30 &+ (byte &>> 6))
                format.append(0x30 &+ ((byte &>> 3) & 7))
                format.append(0x30 &+ (byte & 7))
            }
        }
        return String(decoding: format, as: UTF8.self)
    }

    /// Whether a byte is literal both to `printf` and within single quotes.
    private static func isLiteral(_ byte: UInt8) -> Bool {
        (0x20..<0x7F).contains(byte) && byte != UInt8(ascii: "'")
            && byte != UInt8(ascii: "%") && byte != UInt8(ascii: "\\")
    }
}

/// Separates the prose of a Swift file, line by line, from its code: comments, names of tests and
/// string literals.
struct ProseScanner {
    struct Line {
        /// Comments, without code in backticks, and names of several words.
        var comments: [String] = []
        /// The contents of string literals, without interpolations.
        var strings: [String] = []
        /// Everything else, but for interpolations.
        var code = ""
    }

    private var isInBlock = false

    mutating func scan(_ text: String) -> Line {
        guard !isInBlock else {
            isInBlock = !text.contains("\"\"\"")
            return Line(strings: [text])
        }
        var line = Line()
        var rest = text[...]
        while let first = rest.popFirst() {
            if first == "/", rest.first == "/" {
                line.comments.append(ProseScanner.withoutCode(String(rest)))
                break
            } else if first == "`" {
                let name = rest.prefix { $0 != "`" }
                if name.contains(" ") {
                    line.comments.append(String(name))
                } else {
                    line.code += name
                }
                rest = rest.dropFirst(name.count + 1)
            } else if first == "#", let text = ProseScanner.takeRawString(&rest) {
                line.strings.append(text)
            } else if first == "\"", rest.hasPrefix("\"\"") {
                isInBlock = !rest.dropFirst(2).contains("\"\"\"")
                break
            } else if first == "\"" {
                line.strings.append(ProseScanner.takeString(&rest))
            } else {
                line.code.append(first)
            }
        }
        return line
    }

    /// Consumes a string literal after its opening quote and returns its text.
    private static func takeString(_ rest: inout Substring) -> String {
        var text = ""
        var depth = 0
        while let next = rest.popFirst() {
            if depth > 0 {
                depth += next == "(" ? 1 : next == ")" ? -1 : 0
            } else if next == "\\" {
                if rest.popFirst() == "(" { depth = 1 }
                text.append(" ")
            } else if next == "\"" {
                break
            } else {
                text.append(next)
            }
        }
        return text
    }

    /// Consumes a string literal after its first `#` and returns its text, or nil if no literal
    /// starts. A literal of several lines stays where it is: its quotes are found next.
    private static func takeRawString(_ rest: inout Substring) -> String? {
        let hashes = rest.prefix { $0 == "#" }
        let start = rest.dropFirst(hashes.count)
        guard start.first == "\"", !start.hasPrefix("\"\"\""),
            let end = start.dropFirst().firstRange(of: "\"#" + hashes)
        else { return nil }
        rest = rest[end.upperBound...]
        return String(start.dropFirst()[..<end.lowerBound])
    }

    static func withoutCode(_ text: String) -> String {
        text.replacing(/`[^`]*`/, with: "``")
    }
}

internal import Glibc
internal import ProxydTerminalText

/// Messages to the user before logging is set up.
enum StandardError {
    /// Writes text of one or more lines, with control characters made safe for a terminal.
    static func write(_ text: String) {
        let safe = TerminalText.sanitize(text, layout: .multiLine) + "\n"
        _ = safe.withCString { Glibc.write(STDERR_FILENO, $0, strlen($0)) }
    }
}

/// The environment variables that the process was started with.
enum ProcessEnvironment {
    /// All variables; the first of several with the same name counts, as with getenv(3).
    static func current() -> [String: String] {
        var variables: [String: String] = [:]
        var next = environ
        while let entry = next.pointee {
            let text = String(cString: entry)
            if let equals = text.firstIndex(of: "="), equals != text.startIndex {
                let name = String(text[..<equals])
                if variables[name] == nil {
                    variables[name] = String(text[text.index(after: equals)...])
                }
            }
            next += 1
        }
        return variables
    }
}

internal import Glibc

/// The environment variables that the process was started with.
public enum ProcessEnvironment {
    /// All variables; the first of several with the same name counts, as with getenv(3).
    public static func current() -> [String: String] {
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

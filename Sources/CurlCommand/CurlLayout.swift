/// How a command is laid out.
public enum CurlLayout: Sendable, Hashable {
    /// All in one line, but for line feeds within the body.
    case oneLine
    /// An option a line, joined by a backslash, a line feed and a tab.
    case multiLine

    var separator: String {
        switch self {
        case .oneLine: " "
        case .multiLine: " \\\n\t"
        }
    }
}

/// The layout of a command.
public enum CurlLayout: Sendable, Hashable {
    /// On one line, except for line feeds within the body.
    case oneLine
    /// One option per line, joined by a backslash, a line feed and a tab.
    case multiLine

    var separator: String {
        switch self {
        case .oneLine: " "
        case .multiLine: " \\\n\t"
        }
    }
}

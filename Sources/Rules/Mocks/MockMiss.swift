/// Why no capture is served, and which one is nearest.
public enum MockMiss: Sendable, Hashable {
    /// No request with this method, scheme, host, port and path was captured.
    case nothingAlike
    /// The number of the nearest capture, and the differing parts: `query`, `body`, `header:NAME`.
    case differs([String], nearest: Int64)
    /// All captures of this request were served; the number of the last one.
    case usedUp(last: Int64)

    /// The differences from all captures, as text.
    public var differences: [String] {
        switch self {
        case .nothingAlike: ["method, host or path"]
        case .differs(let parts, _): parts
        case .usedUp: ["used up"]
        }
    }

    /// Whether this miss has fewer differences than another one.
    func isNearer(than other: MockMiss) -> Bool {
        switch (self, other) {
        case (.differs, .nothingAlike): true
        case (.differs(let parts, _), .differs(let others, _)): parts.count < others.count
        default: false
        }
    }

    /// The number of the nearest capture; nil if there is none.
    public var nearest: Int64? {
        switch self {
        case .nothingAlike: nil
        case .differs(_, let nearest): nearest
        case .usedUp(let last): last
        }
    }

    /// The text that is recorded: `unmatched, nearest 1041, differs in query`.
    public var note: String {
        let nearest = nearest.map { ", nearest \($0)" } ?? ""
        if case .usedUp = self { return "unmatched\(nearest), used up" }
        return "unmatched\(nearest), differs in \(differences.joined(separator: ", "))"
    }

    /// The value of the field `Proxyd-Mock`: `unmatched; nearest=1041; differs=query`.
    public var fieldValue: String {
        let text = differences.joined(separator: ", ")
        let isPlain = text.utf8.allSatisfy { (0x61...0x7A).contains($0) }
        let nearest = nearest.map { "; nearest=\($0)" } ?? ""
        // Field names are tokens, so they contain no quotation marks.
        return "unmatched\(nearest); differs=\(isPlain ? text : "\"\(text)\"")"
    }
}

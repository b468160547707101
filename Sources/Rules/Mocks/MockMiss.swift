/// Why no capture is served, and which one is nearest.
public enum MockMiss: Sendable, Hashable {
    /// Nothing of this method, scheme, host, port and path was captured.
    case nothingAlike
    /// The nearest capture, and in what it differs: `query`, `body`, `header:NAME`.
    case differs([String], nearest: Int64)
    /// All captures of this request were served; the last of them.
    case usedUp(last: Int64)

    /// In what the request differs from all captures, in words.
    public var differences: [String] {
        switch self {
        case .nothingAlike: ["method, host or path"]
        case .differs(let parts, _): parts
        case .usedUp: ["used up"]
        }
    }

    /// Whether it differs in less.
    func isNearer(than other: MockMiss) -> Bool {
        switch (self, other) {
        case (.differs, .nothingAlike): true
        case (.differs(let parts, _), .differs(let others, _)): parts.count < others.count
        default: false
        }
    }

    /// The nearest capture; nil where none is near.
    public var nearest: Int64? {
        switch self {
        case .nothingAlike: nil
        case .differs(_, let nearest): nearest
        case .usedUp(let last): last
        }
    }

    /// In words for the record: `unmatched, nearest 1041, differs in query`.
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
        // Names of fields are tokens: nothing in them ends the quotation.
        return "unmatched\(nearest); differs=\(isPlain ? text : "\"\(text)\"")"
    }
}

internal import ProxydHTTPModel

/// A content type or a range of content types: `text/html`, `image/*`, `*/*` (RFC 9110 §12.5.1).
public struct ContentTypePattern: Sendable, Hashable, CustomStringConvertible {
    /// The type in lower case; `*` for any.
    public let type: String
    /// The subtype in lower case; `*` for any.
    public let subtype: String

    /// Parses a type; parameters after a semicolon are ignored. Nil if there is no slash, or no
    /// text on one of its sides.
    public init?(_ text: String) {
        let essence = text.utf8.prefix { $0 != UInt8(ascii: ";") }.map(ASCII.lowercased)
        let parts = essence.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let (type, subtype) = (trimmed(parts[0]), trimmed(parts[1]))
        guard !type.isEmpty, !subtype.isEmpty else { return nil }
        self.type = type
        self.subtype = subtype
    }

    /// Every type.
    public static let any = ContentTypePattern(type: "*", subtype: "*")

    private init(type: String, subtype: String) {
        self.type = type
        self.subtype = subtype
    }

    /// The pattern as text.
    public var description: String { "\(type)/\(subtype)" }

    /// Whether the range includes another type; a star on either side matches any.
    public func matches(_ other: ContentTypePattern) -> Bool {
        (type == "*" || other.type == "*" || type == other.type)
            && (subtype == "*" || other.subtype == "*" || subtype == other.subtype)
    }

    /// How specific the pattern is; larger is more specific.
    var specificity: Int { (type == "*" ? 0 : 1) + (subtype == "*" ? 0 : 2) }
}

private func trimmed(_ bytes: ArraySlice<UInt8>) -> String {
    let all = Array(bytes)
    return ASCII.text(all[ASCII.trimmingOWS(all.span, 0..<all.count)])
}

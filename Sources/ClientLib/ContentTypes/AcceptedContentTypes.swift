public import ProxydHTTPModel

/// The content types that a response may have, as the program lists them or its request's Accept
/// asks for.
public struct AcceptedContentTypes: Sendable, Hashable {
    private struct Choice: Sendable, Hashable {
        let pattern: ContentTypePattern
        let isAccepted: Bool
    }

    private var choices: [Choice]

    /// Creates the set from types and ranges. Invalid entries match nothing.
    public init(_ texts: some Sequence<String>) {
        choices = texts.compactMap(ContentTypePattern.init).map {
            Choice(pattern: $0, isAccepted: true)
        }
    }

    /// The types in a request's Accept lines, where `q=0` means not acceptable (RFC 9110 §12.5.1);
    /// every type if there is no such line, or none that can be parsed.
    public init(accept fields: HeaderFields) {
        choices = fields.values(named: "Accept").flatMap { line in
            AcceptedContentTypes.members(of: Array(line.utf8)).compactMap { member in
                ContentTypePattern(ASCII.text(member)).map {
                    Choice(pattern: $0, isAccepted: !AcceptedContentTypes.hasNoWeight(member))
                }
            }
        }
        if choices.isEmpty { choices = [Choice(pattern: .any, isAccepted: true)] }
    }

    /// The accepted patterns in their original order.
    public var patterns: [ContentTypePattern] { choices.filter(\.isAccepted).map(\.pattern) }

    /// Whether a type is accepted; the most specific matching pattern decides.
    public func accepts(_ type: ContentTypePattern) -> Bool {
        let matching = choices.filter { $0.pattern.matches(type) }
        let best = matching.map(\.pattern.specificity).max()
        return matching.contains { $0.isAccepted && $0.pattern.specificity == best }
    }

    /// Whether a response's content is accepted: an empty body always is, one without a type only
    /// if every type is, and one with an invalid type never.
    public func accepts(contentType: String?, isBodyEmpty: Bool) -> Bool {
        if isBodyEmpty { return true }
        guard let contentType else { return patterns.contains(.any) }
        return ContentTypePattern(contentType).map(accepts) ?? false
    }

    /// The members of a list; commas within quoted strings do not separate.
    private static func members(of bytes: [UInt8]) -> [[UInt8]] {
        var members: [[UInt8]] = [[]]
        var isQuoted = false
        var isEscaped = false
        for byte in bytes {
            if byte == UInt8(ascii: ","), !isQuoted {
                members.append([])
                continue
            }
            if byte == UInt8(ascii: "\""), !isEscaped { isQuoted.toggle() }
            isEscaped = isQuoted && byte == UInt8(ascii: "\\") && !isEscaped
            members[members.count - 1].append(byte)
        }
        return members
    }

    /// Whether the member has a weight of zero: `q=0`, `q=0.0` and the like.
    private static func hasNoWeight(_ member: [UInt8]) -> Bool {
        let weight = member.filter { !ASCII.isOWS($0) }.map(ASCII.lowercased)
            .split(separator: UInt8(ascii: ";")).dropFirst().first { $0.starts(with: "q=".utf8) }
        guard let weight else { return false }
        let digits = weight.dropFirst(2)
        return !digits.isEmpty && digits.allSatisfy { $0 == 0x30 || $0 == UInt8(ascii: ".") }
    }
}

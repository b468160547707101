/// The syntax tree of a regular expression.
indirect enum RegexNode: Sendable {
    /// Matches the empty text.
    case empty
    /// Matches one scalar of a set.
    case set(ScalarSet)
    /// Matches the nodes one after another.
    case sequence([RegexNode])
    /// Matches any one of the nodes.
    case alternation([RegexNode])
    /// Matches `minimum` to `maximum` times, without limit if `maximum` is nil. `isLazy` does not
    /// affect whether there is a match.
    case repetition(RegexNode, minimum: Int, maximum: Int?, isLazy: Bool)
    /// A capturing group, numbered from 1 by its opening parenthesis.
    case group(RegexNode, number: Int)
    /// A condition on the position, which consumes nothing.
    case assertion(RegexAssertion)
}

extension RegexNode {
    /// The literal text with which every match starts; nil if there is none.
    var literalPrefix: String? {
        guard case .sequence(let items) = self, case .assertion(.textStart)? = items.first else {
            return nil
        }
        var prefix = String.UnicodeScalarView()
        for item in items.dropFirst() {
            guard case .set(let set) = item.ungrouped,
                let scalar = set.single.flatMap(Unicode.Scalar.init)
            else { break }
            prefix.append(scalar)
        }
        return prefix.isEmpty ? nil : String(prefix)
    }

    /// The node without the groups around it.
    private var ungrouped: RegexNode {
        guard case .group(let inner, _) = self else { return self }
        return inner.ungrouped
    }
}

/// A condition on the position between two bytes.
enum RegexAssertion: Sendable, Hashable {
    case textStart
    case textEnd
    case lineStart
    case lineEnd
    case wordBoundary
    case noWordBoundary

    /// Whether the condition holds between two neighbours.
    func holds(after previous: RegexNeighbour, before next: RegexNeighbour) -> Bool {
        switch self {
        case .textStart: previous == .none
        case .textEnd: next == .none
        case .lineStart: previous == .none || previous == .newline
        case .lineEnd: next == .none || next == .newline
        case .wordBoundary: (previous == .word) != (next == .word)
        case .noWordBoundary: (previous == .word) == (next == .word)
        }
    }
}

/// The kind of byte next to a position, as far as assertions distinguish them.
enum RegexNeighbour: Int32, Sendable {
    /// The text's start or end.
    case none
    case newline
    case word
    case other

    init(_ byte: UInt8) {
        switch byte {
        case 0x0A: self = .newline
        case 0x30...0x39, 0x41...0x5A, 0x5F, 0x61...0x7A: self = .word
        default: self = .other
        }
    }
}

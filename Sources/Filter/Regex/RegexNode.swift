/// The syntax tree of a regular expression.
indirect enum RegexNode: Sendable {
    /// Matches the empty text.
    case empty
    /// One scalar of a set.
    case set(ScalarSet)
    /// One after the other.
    case sequence([RegexNode])
    /// Any of them.
    case alternation([RegexNode])
    /// `minimum` to `maximum` times; without end where `maximum` is nil. Whether it takes as few as
    /// it can does not change whether there is a match.
    case repetition(RegexNode, minimum: Int, maximum: Int?, isLazy: Bool)
    /// What a pair of parentheses captures, numbered from 1 by the opening ones.
    case group(RegexNode, number: Int)
    /// A condition on the place, which consumes nothing.
    case assertion(RegexAssertion)
}

extension RegexNode {
    /// The text that everything matching begins with; nil where none is sure.
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

    /// The node inside its groups.
    private var ungrouped: RegexNode {
        guard case .group(let inner, _) = self else { return self }
        return inner.ungrouped
    }
}

/// A condition on the place between two octets.
enum RegexAssertion: Sendable, Hashable {
    case textStart
    case textEnd
    case lineStart
    case lineEnd
    case wordBoundary
    case noWordBoundary

    /// Whether it holds between two neighbours.
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

/// What stands on one side of a place, as far as assertions care.
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

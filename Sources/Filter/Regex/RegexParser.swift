/// Parses the usual regular-expression syntax without the features that need backtracking.
///
/// Supported: `. [] [^] \d \w \s \b ^ $ \A \z * + ? {n,m} (…) (?:…) (?<name>…) |`, the flags `(?i)
/// (?s) (?m)` (ignore ASCII case, dot matches line ends, `^ $` at lines), `\n \r \t \f \v \0 \xHH
/// \x{H…} \uHHHH`. Look-around and back-references are errors.
struct RegexParser {
    /// The flags in effect at a position in the pattern.
    struct Flags {
        var ignoresCase: Bool
        var dotTakesNewline: Bool
        var hasLineAnchors = false
    }

    /// The maximum nesting depth of groups; bounds the recursion.
    static let depthMax = 50
    /// The maximum count in `{n,m}`.
    static let repetitionMax = 1_000

    private(set) var scanner: RegexScanner
    private var flags: Flags
    private var depth = 0
    private var groupCount = 0

    private init(_ pattern: String, flags: Flags) {
        scanner = RegexScanner(pattern)
        self.flags = flags
    }

    /// Parses a pattern into its tree and the number of capturing groups.
    static func parse(
        _ pattern: String, flags: Flags
    ) throws(RegexError) -> (node: RegexNode, groupCount: Int) {
        var parser = RegexParser(pattern, flags: flags)
        let node = try parser.parseAlternation()
        if parser.scanner.peek != nil { throw parser.scanner.errorAhead("this ) has no (") }
        return (node, parser.groupCount)
    }

    private mutating func parseAlternation() throws(RegexError) -> RegexNode {
        var branches = [try parseSequence()]
        while scanner.take("|") { branches.append(try parseSequence()) }
        return branches.count == 1 ? branches[0] : .alternation(branches)
    }

    private mutating func parseSequence() throws(RegexError) -> RegexNode {
        var items: [RegexNode] = []
        while let scalar = scanner.peek, scalar != "|", scalar != ")" {
            let start = scanner.position
            let atom = try parseAtom()
            let item = try parseQuantifiers(of: atom, from: start)
            items.append(item)
        }
        return items.count == 1 ? items[0] : .sequence(items)
    }

    private mutating func parseAtom() throws(RegexError) -> RegexNode {
        let start = scanner.position
        switch scanner.next() {
        case "(": return try parseGroup(from: start)
        case "[": return .set(try parseClass())
        case ".":
            let all = ScalarSet([0...ScalarSet.last])
            return .set(flags.dotTakesNewline ? all : ScalarSet.newline.inverted)
        case "^": return .assertion(flags.hasLineAnchors ? .lineStart : .textStart)
        case "$": return .assertion(flags.hasLineAnchors ? .lineEnd : .textEnd)
        case "\\": return try parseEscape()
        case "*", "+", "?": throw RegexError(offset: start, message: "nothing to repeat here")
        case let scalar?: return .set(folded(ScalarSet(scalar)))
        case nil: return .empty
        }
    }

    private func folded(_ set: ScalarSet) -> ScalarSet {
        flags.ignoresCase ? set.foldingASCIICase : set
    }

    private mutating func parseEscape() throws(RegexError) -> RegexNode {
        switch scanner.peek {
        case "b":
            scanner.skip()
            return .assertion(.wordBoundary)
        case "B":
            scanner.skip()
            return .assertion(.noWordBoundary)
        case "A":
            scanner.skip()
            return .assertion(.textStart)
        case "z", "Z":
            scanner.skip()
            return .assertion(.textEnd)
        case let scalar? where ("1"..."9").contains(scalar):
            throw scanner.errorAhead("back-references are not supported")
        default: return .set(folded(try scanner.escapedSet()))
        }
    }

    private mutating func parseClass() throws(RegexError) -> ScalarSet {
        let set = try scanner.classMembers()
        let members = folded(set.members)
        return set.isInverted ? members.inverted : members
    }

    // MARK: Groups

    private mutating func parseGroup(from start: Int) throws(RegexError) -> RegexNode {
        depth += 1
        defer { depth -= 1 }
        guard depth <= RegexParser.depthMax else {
            throw RegexError(offset: start, message: "groups nest too deeply")
        }
        let outer = flags
        var number: Int?
        switch scanner.take("?") ? try parseGroupHead() : .capturing {
        case .flags: return .empty
        case .plain: break
        case .capturing:
            groupCount += 1
            number = groupCount
        }
        let node = try parseAlternation()
        guard scanner.take(")") else {
            throw RegexError(offset: start, message: "this ( is never closed")
        }
        flags = outer
        return number.map { .group(node, number: $0) } ?? node
    }

    private enum GroupHead {
        /// `(…)` and `(?<name>…)`.
        case capturing
        /// `(?:…)` and `(?i:…)`.
        case plain
        /// `(?i)`, which is complete here and changes the flags for what follows.
        case flags
    }

    /// Parses the part of a group after `(?`.
    private mutating func parseGroupHead() throws(RegexError) -> GroupHead {
        if scanner.take(":") { return .plain }
        _ = scanner.take("P")
        if scanner.take("<") {
            guard scanner.peek != "=", scanner.peek != "!" else {
                throw scanner.errorAhead("look-behind is not supported")
            }
            while let scalar = scanner.next() { if scalar == ">" { return .capturing } }
            throw scanner.error("the group's name is not closed")
        }
        return try parseFlags()
    }

    private mutating func parseFlags() throws(RegexError) -> GroupHead {
        var isOn = true
        while let scalar = scanner.next() {
            switch scalar {
            case "-": isOn = false
            case "i": flags.ignoresCase = isOn
            case "s": flags.dotTakesNewline = isOn
            case "m": flags.hasLineAnchors = isOn
            case ":": return .plain
            case ")": return .flags
            case "=", "!": throw scanner.error("look-ahead is not supported")
            default: throw scanner.error("unknown group (?\(scalar)")
            }
        }
        throw scanner.error("the group is not closed")
    }

    // MARK: Quantifiers

    private mutating func parseQuantifiers(
        of atom: RegexNode, from start: Int
    ) throws(RegexError) -> RegexNode {
        var node = atom
        var count = 0
        while let bounds = try parseQuantifier() {
            count += 1
            // Each quantifier nests the tree; `a+` needs one, and `(a+)+` needs a group.
            guard count == 1 else {
                throw RegexError(
                    offset: start, message: "repeated twice: put ( ) around the first repetition")
            }
            let isLazy = scanner.take("?")
            node = .repetition(
                node, minimum: bounds.minimum, maximum: bounds.maximum, isLazy: isLazy)
        }
        return node
    }

    private mutating func parseQuantifier() throws(RegexError) -> (minimum: Int, maximum: Int?)? {
        switch scanner.peek {
        case "*":
            scanner.skip()
            return (0, nil)
        case "+":
            scanner.skip()
            return (1, nil)
        case "?":
            scanner.skip()
            return (0, 1)
        case "{": return try scanner.repetitionBounds(max: RegexParser.repetitionMax)
        default: return nil
        }
    }
}

/// Scans the scalars of a pattern for escapes, classes and counts, which do not nest.
struct RegexScanner {
    private let scalars: [Unicode.Scalar]
    private(set) var position = 0

    init(_ pattern: String) { scalars = Array(pattern.unicodeScalars) }

    var peek: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

    mutating func next() -> Unicode.Scalar? {
        guard let scalar = peek else { return nil }
        position += 1
        return scalar
    }

    mutating func skip() { position = min(position + 1, scalars.count) }

    mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard peek == scalar else { return false }
        position += 1
        return true
    }

    /// An error at the last scalar read.
    func error(_ message: String) -> RegexError {
        RegexError(offset: max(0, position - 1), message: message)
    }

    /// An error at the next scalar.
    func errorAhead(_ message: String) -> RegexError {
        RegexError(offset: position, message: message)
    }

    // MARK: Escapes

    /// The scalars that the escape after a `\` matches.
    mutating func escapedSet() throws(RegexError) -> ScalarSet {
        guard let scalar = next() else { throw error("\\ at the end") }
        switch scalar {
        case "d": return .digits
        case "D": return ScalarSet.digits.inverted
        case "w": return .word
        case "W": return ScalarSet.word.inverted
        case "s": return .space
        case "S": return ScalarSet.space.inverted
        case "n": return ScalarSet("\n")
        case "r": return ScalarSet("\r")
        case "t": return ScalarSet("\t")
        case "f": return ScalarSet("\u{0C}")
        case "v": return ScalarSet("\u{0B}")
        case "0": return ScalarSet("\0")
        case "x": return ScalarSet(try hexadecimal(digitCount: 2))
        case "u": return ScalarSet(try hexadecimal(digitCount: 4))
        default:
            // A letter may have a meaning in other dialects, so an unknown one is rejected.
            guard !scalar.properties.isAlphabetic, !("0"..."9").contains(scalar) else {
                throw error("unknown escape \\\(scalar)")
            }
            return ScalarSet(scalar)
        }
    }

    private mutating func hexadecimal(digitCount: Int) throws(RegexError) -> Unicode.Scalar {
        var digits = ""
        if take("{") {
            while let digit = next(), digit != "}" { digits.unicodeScalars.append(digit) }
        } else {
            while digits.count < digitCount, let digit = next() {
                digits.unicodeScalars.append(digit)
            }
        }
        guard let value = UInt32(digits, radix: 16), let scalar = Unicode.Scalar(value) else {
            throw error("not a hexadecimal character code")
        }
        return scalar
    }

    // MARK: Classes

    /// Reads the class between `[` and `]`.
    mutating func classMembers() throws(RegexError) -> (members: ScalarSet, isInverted: Bool) {
        let start = position
        let isInverted = take("^")
        var members = ScalarSet()
        var isFirst = true
        while let scalar = peek {
            if scalar == "]", !isFirst {
                skip()
                return (members, isInverted)
            }
            isFirst = false
            members.formUnion(try classItem())
        }
        throw RegexError(offset: max(0, start - 1), message: "this [ is never closed")
    }

    /// Reads one scalar, one range or one escape of a class.
    private mutating func classItem() throws(RegexError) -> ScalarSet {
        let low = try classAtom()
        guard peek == "-", position + 1 < scalars.count, scalars[position + 1] != "]" else {
            return low
        }
        skip()
        let high = try classAtom()
        guard let first = low.single, let last = high.single, first <= last else {
            throw error("not a range of characters")
        }
        return ScalarSet([first...last])
    }

    private mutating func classAtom() throws(RegexError) -> ScalarSet {
        switch next() {
        case "\\":
            if take("b") { return ScalarSet("\u{08}") }
            return try escapedSet()
        case let scalar?: return ScalarSet(scalar)
        case nil: throw error("the class is not closed")
        }
    }

    // MARK: Counts

    /// Reads `{n}`, `{n,}` or `{n,m}`; nil leaves a `{` that does not start a count unread, so that
    /// it becomes an error.
    mutating func repetitionBounds(
        max limit: Int
    ) throws(RegexError) -> (minimum: Int, maximum: Int?) {
        skip()
        guard let minimum = number() else {
            throw error("{ starts a count: write \\{ for the character itself")
        }
        var maximum: Int? = minimum
        if take(",") { maximum = number() }
        guard take("}") else { throw error("the count is incomplete: write {n}, {n,} or {n,m}") }
        guard minimum <= limit, maximum ?? 0 <= limit else {
            throw error("at most \(limit) repetitions")
        }
        if let maximum, maximum < minimum {
            throw error("the count's minimum is above its maximum")
        }
        return (minimum, maximum)
    }

    private mutating func number() -> Int? {
        var digits = ""
        while let digit = peek, ("0"..."9").contains(digit), digits.count < 9 {
            digits.unicodeScalars.append(digit)
            skip()
        }
        return Int(digits)
    }
}

indirect enum RegexNode: Sendable {
    /// Matches the empty text.
    case empty
    case set(ScalarSet)
    case sequence([RegexNode])
    case alternation([RegexNode])
    /// Matches `minimum` to `maximum` times, without limit if `maximum` is nil. `isLazy` does not
    /// affect whether there is a match.
    case repetition(RegexNode, minimum: Int, maximum: Int?, isLazy: Bool)
    /// A capturing group, numbered from 1 by its opening parenthesis.
    case group(RegexNode, number: Int)
    /// A condition on the position, which consumes nothing.
    case assertion(RegexAssertion)

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

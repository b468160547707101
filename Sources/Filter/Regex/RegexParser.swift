/// Parses the usual regular-expression syntax without the features that need backtracking.
///
/// Supported: `. [] [^] \d \w \s \b ^ $ \A \z * + ? {n,m} (…) (?:…) (?<name>…) |`, the flags `(?i)
/// (?s) (?m)` (ignore ASCII case, dot matches line ends, `^ $` at lines), `\t
///  \r \xHH \x{H…} \uHHHH`. Look-around and back-references are errors.
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
        default:
            return .set(folded(try scanner.escapedSet()))
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
        case "{":
            return try scanner.repetitionBounds(max: RegexParser.repetitionMax)
        default:
            return nil
        }
    }
}

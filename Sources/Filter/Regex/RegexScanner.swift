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

/// A regular expression and the replacement for its matches.
///
/// Matches are found as in Perl: the leftmost first, and among those the one that the pattern's
/// branches and quantifiers prefer (`a|ab` finds `a` in `ab`). A match may be empty; the next one
/// then is not empty or starts a character later. No UTF-8 character is split. The work is linear
/// in the text and in the pattern.
package struct RegexReplacement: Sendable {
    package enum Outcome: Sendable, Hashable {
        /// Nothing in it matches.
        case unchanged
        /// The new text, which may be the same as before, the number of replaced matches, and
        /// where they were.
        case changed([UInt8], count: Int, places: [Change])
        case tooLarge
    }

    /// A range of the text that was replaced.
    package struct Change: Sendable, Hashable {
        package let range: Range<Int>
        /// Its place in the new text.
        package let newRange: Range<Int>

        package init(range: Range<Int>, newRange: Range<Int>) {
            self.range = range
            self.newRange = newRange
        }
    }

    /// More places are joined to the last one.
    private static let placeCountMax = 1 << 16

    private let search: LinearRegex
    private let template: RegexTemplate
    /// The slot of the start of each group that the template uses.
    private let slots: [Int: Int]
    private let walkers: RegexWalkers

    /// Compiles a pattern and a template.
    /// - Parameters:
    ///   - pattern: The same syntax as in filters; groups are numbered by their opening
    ///     parentheses, from 1.
    ///   - template: `$1`…`$99` and `${12}` are replaced by what the groups captured, or by nothing
    ///     if a group did not participate; `$0` by the whole match, `$$` by a dollar. Any other `$`
    ///     is literal.
    ///   - isForBodies: Whether `.` also matches line ends and bytes that are not UTF-8.
    ///   - ignoresCase: Whether ASCII letters match in both cases, as with `(?i)`.
    /// - Throws: the error in the pattern or the template, and its position.
    package init(
        pattern: String, template: String, isForBodies: Bool, ignoresCase: Bool = false
    ) throws(RegexError) {
        let flags = RegexParser.Flags(ignoresCase: ignoresCase, dotTakesNewline: isForBodies)
        let (node, groupCount) = try RegexParser.parse(pattern, flags: flags)
        self.template = try RegexTemplate(template, groupCount: groupCount)
        slots = Dictionary(
            uniqueKeysWithValues: self.template.groups.sorted().enumerated().map {
                ($0.element, $0.offset * 2)
            })
        let program = try RegexProgram(node, takesStrayBytes: isForBodies, slots: slots)
        search = LinearRegex(pattern, literalPrefix: node.literalPrefix, program)
        walkers = RegexWalkers(RegexWalker(program, slotCount: slots.count * 2))
    }

    package func matches(_ text: Span<UInt8>) -> Bool { search.matches(text) }

    /// Replaces matches in a text.
    /// - Parameters:
    ///   - timesMax: The maximum number of replacements, counted from the start; nil for all.
    ///   - byteCountMax: The maximum size of the new text.
    package func replacing(
        in text: Span<UInt8>, timesMax: Int? = nil, byteCountMax: Int
    ) -> Outcome {
        let timesMax = timesMax ?? .max
        guard timesMax > 0, search.matches(text) else { return .unchanged }
        var walker = walkers.take()
        defer { walkers.give(walker) }
        return replace(in: text, timesMax, byteCountMax, &walker)
    }

    private func replace(
        in text: Span<UInt8>, _ timesMax: Int, _ byteCountMax: Int, _ walker: inout RegexWalker
    ) -> Outcome {
        guard walker.read(text) else { return .unchanged }
        defer { walker.forgetText() }
        var output = BoundedBytes(byteCountMax: byteCountMax)
        var (place, count, mustTake) = (0, 0, false)
        var places: [Change] = []
        while count < timesMax,
            let match = walker.match(from: place, mustTake: mustTake, in: text)
        {
            guard output.append(text, place..<match.lowerBound) else { return .tooLarge }
            let start = output.bytes.count
            guard append(match, of: text, walker, to: &output) else { return .tooLarge }
            places.note(match, start..<output.bytes.count, countMax: Self.placeCountMax)
            place = match.upperBound
            count += 1
            mustTake = match.isEmpty
        }
        guard count > 0 else { return .unchanged }
        guard output.append(text, place..<text.count) else { return .tooLarge }
        return .changed(output.bytes, count: count, places: places)
    }

    /// Appends the replacement of a match; returns false if the result becomes too large.
    private func append(
        _ match: Range<Int>, of text: Span<UInt8>, _ walker: borrowing RegexWalker,
        to output: inout BoundedBytes
    ) -> Bool {
        for piece in template.pieces {
            let fits: Bool
            switch piece {
            case .text(let bytes): fits = output.append(bytes.span, bytes.indices)
            case .group(let number):
                let range = slots[number].map { walker.capture(slot: $0) } ?? match
                fits = range.map { output.append(text, $0) } ?? true
            }
            if !fits { return false }
        }
        return true
    }
}

extension [RegexReplacement.Change] {
    fileprivate mutating func note(_ range: Range<Int>, _ newRange: Range<Int>, countMax: Int) {
        guard count >= countMax, let last = popLast() else {
            return append(RegexReplacement.Change(range: range, newRange: newRange))
        }
        append(
            RegexReplacement.Change(
                range: last.range.lowerBound..<range.upperBound,
                newRange: last.newRange.lowerBound..<newRange.upperBound))
    }
}

/// A replacement template: literal text and references to groups.
///
/// `$1`…`$99` and `${12}` are groups, `$0` is the whole match, `$$` is one dollar; any other `$` is
/// literal. Two digits after a `$` form one number, unless the first is 0.
struct RegexTemplate: Sendable, Hashable {
    enum Piece: Sendable, Hashable {
        case text([UInt8])
        /// The number of a group; 0 is the whole match.
        case group(Int)
    }

    private(set) var pieces: [Piece] = []

    /// - Parameter groupCount: The number of groups in the pattern.
    /// - Throws: if the template refers to a group that does not exist.
    init(_ template: String, groupCount: Int) throws(RegexError) {
        let scalars = Array(template.unicodeScalars)
        var text = String.UnicodeScalarView()
        var position = 0
        while position < scalars.count {
            guard scalars[position] == "$" else {
                text.append(scalars[position])
                position += 1
                continue
            }
            if let reference = Reference(scalars, at: position) {
                try reference.check(groupCount, at: position)
                append(text)
                text = String.UnicodeScalarView()
                pieces.append(.group(reference.number))
                position += reference.count
            } else {
                text.append("$")
                position += scalars.dropFirst(position + 1).first == "$" ? 2 : 1
            }
        }
        append(text)
    }

    /// The groups that the template uses, except the whole match.
    var groups: Set<Int> {
        Set(
            pieces.compactMap {
                if case .group(let number) = $0, number > 0 { number } else { nil }
            })
    }

    private mutating func append(_ text: String.UnicodeScalarView) {
        if !text.isEmpty { pieces.append(.text(Array(String(text).utf8))) }
    }

    /// A `$` followed by the number of a group.
    private struct Reference {
        let number: Int
        /// The length of the reference, in scalars.
        let count: Int
        let hasBraces: Bool

        /// nil if the `$` at this position does not start a reference.
        init?(_ scalars: [Unicode.Scalar], at position: Int) {
            let rest = scalars[(position + 1)...]
            hasBraces = rest.first == "{"
            let digits = rest.dropFirst(hasBraces ? 1 : 0).prefix { ("0"..."9").contains($0) }
            guard let first = digits.first else { return nil }
            if hasBraces {
                guard rest.dropFirst(digits.count + 1).first == "}" else { return nil }
                number = Reference.number(digits[...])
                count = digits.count + 3
            } else {
                let taken = digits.prefix(first == "0" ? 1 : 2)
                number = Reference.number(taken)
                count = taken.count + 1
            }
        }

        private static func number(_ digits: ArraySlice<Unicode.Scalar>) -> Int {
            Int(String(String.UnicodeScalarView(digits))) ?? .max
        }

        func check(_ groupCount: Int, at position: Int) throws(RegexError) {
            guard number > groupCount else { return }
            let groups =
                switch groupCount {
                case 0: "no groups"
                case 1: "1 group"
                default: "\(groupCount) groups"
                }
            let (ten, one) = number.quotientAndRemainder(dividingBy: 10)
            let isShort = !hasBraces && ten > 0 && ten <= groupCount
            let hint = isShort ? ": write ${\(ten)}\(one) for group \(ten) and a \(one)" : ""
            let name = number == .max ? "such group" : "group \(number)"
            throw RegexError(
                .template, offset: position,
                message: "there is no \(name), the pattern has \(groups)\(hint)")
        }
    }
}

struct BoundedBytes {
    let byteCountMax: Int
    private(set) var bytes: [UInt8] = []

    /// Appends bytes. Returns false, and appends nothing, if the limit would be exceeded.
    mutating func append(_ source: Span<UInt8>, _ range: Range<Int>) -> Bool {
        guard range.count <= byteCountMax - bytes.count else { return false }
        source.extracting(range).withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
        return true
    }
}

/// A regular expression and what its matches become.
///
/// Matches are found as in Perl: the leftmost first, and of those the one that the pattern's
/// branches and quantifiers prefer (`a|ab` finds `a` in `ab`). A match may take nothing; the next
/// one then takes something or begins a character later. No character of UTF-8 is cut in two. The
/// work is linear in the text and in the pattern, whatever both are.
package struct RegexReplacement: Sendable {
    /// What became of a text.
    package enum Outcome: Sendable, Hashable {
        /// Nothing in it matches.
        case unchanged
        /// The new text, and how many matches were replaced. It may be what the text was before.
        case changed([UInt8], count: Int)
        /// The new text would be larger than it may be.
        case tooLarge
    }

    private let search: LinearRegex
    private let template: RegexTemplate
    /// For each group that the template names the slot of its start.
    private let slots: [Int: Int]
    private let walkers: RegexWalkers

    /// Compiles a pattern and a template.
    /// - Parameters:
    ///   - pattern: As in filters; groups are numbered by their opening parentheses, from 1.
    ///   - template: `$1`…`$99` and `${12}` stand for what groups took, and for nothing where they
    ///     took no part; `$0` for the whole match, `$$` for a dollar. Any other `$` is itself.
    ///   - isForBodies: Whether `.` also takes line ends and bytes that are not UTF-8.
    ///   - ignoresCase: Whether ASCII letters match in both cases, as with `(?i)`.
    /// - Throws: what is wrong with either, and where.
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
        let program = try RegexProgram(node, takesStrayOctets: isForBodies, slots: slots)
        search = LinearRegex(pattern, literalPrefix: node.literalPrefix, program)
        walkers = RegexWalkers(RegexWalker(program, slotCount: slots.count * 2))
    }

    /// Whether anything in a text matches.
    package func matches(_ text: Span<UInt8>) -> Bool { search.matches(text) }

    /// Replaces matches in a text.
    /// - Parameters:
    ///   - timesMax: How many at most, from the start; all where it is nil.
    ///   - byteCountMax: How large the new text may be.
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
        while count < timesMax,
            let match = walker.match(from: place, mustTake: mustTake, in: text)
        {
            guard output.append(text, place..<match.lowerBound),
                append(match, of: text, walker, to: &output)
            else { return .tooLarge }
            place = match.upperBound
            count += 1
            mustTake = match.isEmpty
        }
        guard count > 0 else { return .unchanged }
        guard output.append(text, place..<text.count) else { return .tooLarge }
        return .changed(output.bytes, count: count)
    }

    /// Appends what a match becomes; false where that is too much.
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

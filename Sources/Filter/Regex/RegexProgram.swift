/// A regular expression compiled for a nondeterministic automaton over bytes.
struct RegexProgram: Sendable {
    /// One instruction. Those that consume nothing name their targets; all others continue with the
    /// next instruction.
    enum Instruction: Sendable {
        case byte(ByteSet)
        /// A byte above 0x7F that is not part of a UTF-8 character.
        case strayByte
        /// A branch to two targets, the preferred one first.
        case split(Int32, Int32)
        case jump(Int32)
        case assertion(RegexAssertion)
        /// Saves the position in a slot. Each group has two slots, for its start and its end.
        case save(slot: Int)
        case match

        /// The bytes that the instruction can consume; nil if it consumes nothing.
        var bytes: ByteSet? {
            switch self {
            case .byte(let set): set
            case .strayByte: Instruction.strayBytes
            case .split, .jump, .assertion, .save, .match: nil
            }
        }

        private static let strayBytes = ByteSet(0x80...0xFF)
    }

    /// The maximum length of a program; bounds the work for one byte.
    static let instructionCountMax = 10_000

    let instructions: [Instruction]
    /// The class of each byte; all instructions treat the bytes of one class alike.
    let classes: [UInt8]
    let classCount: Int

    /// - Parameters:
    ///   - takesStrayBytes: Whether `.` and inverted classes also match bytes that are not UTF-8,
    ///     as in bodies of any kind.
    ///   - slots: For each group to capture, the slot of its start; the next slot is for its end.
    ///     nil if positions of matches are not needed.
    init(_ node: RegexNode, takesStrayBytes: Bool, slots: [Int: Int]? = nil) throws(RegexError) {
        var writer = RegexProgramWriter(takesStrayBytes: takesStrayBytes, slots: slots)
        try writer.write(node)
        try writer.append(.match)
        instructions = writer.instructions
        (classes, classCount) = RegexProgram.byteClasses(of: writer.instructions)
    }

    /// Groups the bytes that no instruction and no assertion distinguishes.
    private static func byteClasses(of instructions: [Instruction]) -> ([UInt8], Int) {
        var classes = (0...UInt8.max).map { Int(RegexNeighbour($0).rawValue) }
        var seen: Set<ByteSet> = []
        for set in instructions.compactMap(\.bytes) where seen.insert(set).inserted {
            var numbers: [Int: Int] = [:]
            for byte in 0...UInt8.max {
                let key = classes[Int(byte)] &* 2 &+ (set.contains(byte) ? 1 : 0)
                let number = numbers[key] ?? numbers.count
                numbers[key] = number
                classes[Int(byte)] = number
            }
        }
        let count = (classes.max() ?? 0) + 1
        return (classes.map { UInt8(truncatingIfNeeded: $0) }, count)
    }
}

/// Compiles a syntax tree into a program (Thompson's construction).
struct RegexProgramWriter {
    let takesStrayBytes: Bool
    /// For each group to capture, the slot of its start; nil if positions are not needed.
    let slots: [Int: Int]?
    private(set) var instructions: [RegexProgram.Instruction] = []

    mutating func append(_ instruction: RegexProgram.Instruction) throws(RegexError) {
        guard instructions.count < RegexProgram.instructionCountMax else {
            throw RegexError(offset: 0, message: "the expression is too large")
        }
        instructions.append(instruction)
    }

    mutating func write(_ node: RegexNode) throws(RegexError) {
        switch node {
        case .empty: break
        case .set(let set): try write(set)
        case .sequence(let nodes): for node in nodes { try write(node) }
        case .alternation(let nodes):
            try writeAny(of: nodes) { (writer, node) throws(RegexError) in try writer.write(node) }
        case .repetition(let node, let minimum, let maximum, let isLazy):
            try writeRepetition(of: node, minimum: minimum, maximum: maximum, isLazy: isLazy)
        case .group(let node, let number): try write(node, slot: slots?[number])
        case .assertion(let assertion): try append(.assertion(assertion))
        }
    }

    private mutating func write(_ node: RegexNode, slot: Int?) throws(RegexError) {
        guard let slot else { return try write(node) }
        try append(.save(slot: slot))
        try write(node)
        try append(.save(slot: slot + 1))
    }

    private mutating func write(_ set: ScalarSet) throws(RegexError) {
        var alternatives: [[ByteSet]] = []
        var single = ByteSet()
        for range in set.ranges {
            if range.lowerBound < 0x80 {
                let upper = min(range.upperBound, 0x7F)
                single.insert(
                    UInt8(truncatingIfNeeded: range.lowerBound)...UInt8(truncatingIfNeeded: upper))
            }
            alternatives += UTF8Sequences.sequences(of: range).map { $0.map { ByteSet($0) } }
        }
        // A set that reaches the last scalar comes from `.` or an inverted class.
        let takesStray = takesStrayBytes && set.ranges.last?.upperBound == ScalarSet.last
        // If positions matter, a byte of a valid character must not count as stray.
        if takesStray, slots == nil { single.insert(0x80...0xFF) }
        if !single.isEmpty { alternatives.insert([single], at: 0) }
        // The empty set becomes an instruction that matches no byte.
        if alternatives.isEmpty { alternatives = [[ByteSet()]] }
        var items = alternatives.map { $0.map(RegexProgram.Instruction.byte) }
        if takesStray, slots != nil { items.append([.strayByte]) }
        try writeAny(of: items) { (writer, bytes) throws(RegexError) in
            for byte in bytes { try writer.append(byte) }
        }
    }

    // MARK: Branches

    private mutating func writeAny<Item>(
        of items: [Item], _ write: (inout Self, Item) throws(RegexError) -> Void
    ) throws(RegexError) {
        var jumps: [Int] = []
        for (index, item) in items.enumerated() {
            guard index < items.count - 1 else {
                try write(&self, item)
                break
            }
            let split = instructions.count
            try append(.split(next, 0))
            try write(&self, item)
            jumps.append(instructions.count)
            try append(.jump(0))
            instructions[split] = .split(Int32(truncatingIfNeeded: split + 1), here)
        }
        for jump in jumps { instructions[jump] = .jump(here) }
    }

    private mutating func writeRepetition(
        of node: RegexNode, minimum: Int, maximum: Int?, isLazy: Bool
    ) throws(RegexError) {
        for _ in 0..<minimum {
            let before = instructions.count
            try write(node)
            // An empty body has nothing to repeat; nested counts would otherwise multiply forever.
            if instructions.count == before { return }
        }
        var splits: [Int] = []
        for _ in minimum..<max(minimum, maximum ?? minimum + 1) {
            splits.append(instructions.count)
            try append(.split(0, 0))
            try write(node)
        }
        // Without a limit, the last copy loops to its own start, not to the split before it, so
        // that an iteration that matched the empty text still counts as one.
        if maximum == nil, let last = splits.last {
            let start = Int32(truncatingIfNeeded: last + 1)
            try append(isLazy ? .split(next, start) : .split(start, next))
        }
        for split in splits {
            let start = Int32(truncatingIfNeeded: split + 1)
            instructions[split] = isLazy ? .split(here, start) : .split(start, here)
        }
    }

    private var here: Int32 { Int32(truncatingIfNeeded: instructions.count) }
    private var next: Int32 { here &+ 1 }
}

/// A set of Unicode scalars as sorted, disjoint ranges; the value of a regex class.
struct ScalarSet: Sendable, Hashable {
    private(set) var ranges: [ClosedRange<UInt32>] = []

    static let last: UInt32 = 0x10FFFF
    /// Surrogates are not scalars and never appear in UTF-8 (RFC 3629 §3).
    private static let surrogates: ClosedRange<UInt32> = 0xD800...0xDFFF

    init(_ ranges: [ClosedRange<UInt32>] = []) {
        self.ranges = ranges
        normalise()
    }

    init(_ scalar: Unicode.Scalar) { ranges = [scalar.value...scalar.value] }

    mutating func formUnion(_ other: ScalarSet) {
        ranges += other.ranges
        normalise()
    }

    /// The scalar of a set with exactly one element; otherwise nil.
    var single: UInt32? {
        guard ranges.count == 1, let range = ranges.first, range.count == 1 else { return nil }
        return range.lowerBound
    }

    var inverted: ScalarSet {
        var gaps: [ClosedRange<UInt32>] = []
        var next: UInt32 = 0
        for range in ranges {
            if range.lowerBound > next { gaps.append(next...(range.lowerBound - 1)) }
            next = range.upperBound &+ 1
        }
        if next <= ScalarSet.last { gaps.append(next...ScalarSet.last) }
        return ScalarSet(gaps)
    }

    /// The set extended by the other case of every ASCII letter in it.
    var foldingASCIICase: ScalarSet {
        var folded = ranges
        for range in ranges {
            folded += ScalarSet.moved(range, within: 0x41...0x5A, by: 0x20)
            folded += ScalarSet.moved(range, within: 0x61...0x7A, by: 0 &- 0x20)
        }
        return ScalarSet(folded)
    }

    private static func moved(
        _ range: ClosedRange<UInt32>, within letters: ClosedRange<UInt32>, by shift: UInt32
    ) -> [ClosedRange<UInt32>] {
        guard range.overlaps(letters) else { return [] }
        let part = range.clamped(to: letters)
        return [(part.lowerBound &+ shift)...(part.upperBound &+ shift)]
    }

    private mutating func normalise() {
        var merged: [ClosedRange<UInt32>] = []
        let sorted = ranges.flatMap(ScalarSet.withoutSurrogates)
            .sorted { $0.lowerBound < $1.lowerBound }
        for range in sorted {
            if let previous = merged.last, range.lowerBound <= previous.upperBound &+ 1 {
                let upper = max(previous.upperBound, range.upperBound)
                merged[merged.count - 1] = previous.lowerBound...upper
            } else {
                merged.append(range)
            }
        }
        ranges = merged
    }

    private static func withoutSurrogates(_ range: ClosedRange<UInt32>) -> [ClosedRange<UInt32>] {
        guard range.overlaps(surrogates) else { return [range] }
        var parts: [ClosedRange<UInt32>] = []
        if range.lowerBound < surrogates.lowerBound {
            parts.append(range.lowerBound...(surrogates.lowerBound - 1))
        }
        if range.upperBound > surrogates.upperBound {
            parts.append((surrogates.upperBound + 1)...range.upperBound)
        }
        return parts
    }

    /// `\d`: ASCII digits, as in every header and URL.
    static let digits = ScalarSet([0x30...0x39])
    /// `\w`: ASCII letters, digits and `_`.
    static let word = ScalarSet([0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A])
    /// `\s`: ASCII white space.
    static let space = ScalarSet([0x09...0x0D, 0x20...0x20])
    /// The line feed, which `.` does not match.
    static let newline = ScalarSet([0x0A...0x0A])
}

/// Splits ranges of scalars into sequences of byte ranges, so that an automaton over bytes matches
/// exactly the UTF-8 (RFC 3629 §3) of the scalars.
enum UTF8Sequences {
    /// One byte of each range, in order.
    typealias Sequence = [ClosedRange<UInt8>]

    /// The sequences for scalars above U+007F in `range`; lower scalars are single bytes.
    static func sequences(of range: ClosedRange<UInt32>) -> [Sequence] {
        var result: [Sequence] = []
        for (length, bounds) in [
            (2, 0x80...0x7FF), (3, 0x800...0xFFFF), (4, 0x10000...ScalarSet.last),
        ] as [(Int, ClosedRange<UInt32>)] where range.overlaps(bounds) {
            let part = range.clamped(to: bounds)
            split(part.lowerBound, part.upperBound, length: length, into: &result)
        }
        return result
    }

    /// Splits a range of equally long encodings until all bytes in each part vary independently.
    private static func split(
        _ low: UInt32, _ high: UInt32, length: Int, into result: inout [Sequence]
    ) {
        for tail in 1..<length {
            let mask: UInt32 = (1 << UInt32(6 * tail)) - 1
            guard low & ~mask != high & ~mask else { continue }
            if low & mask != 0 {
                split(low, low | mask, length: length, into: &result)
                split((low | mask) + 1, high, length: length, into: &result)
                return
            }
            if high & mask != mask {
                split(low, (high & ~mask) - 1, length: length, into: &result)
                split(high & ~mask, high, length: length, into: &result)
                return
            }
        }
        let first = bytes(low, length: length)
        let last = bytes(high, length: length)
        result.append(zip(first, last).map { $0...$1 })
    }

    private static func bytes(_ scalar: UInt32, length: Int) -> [UInt8] {
        let marker: UInt32 = length == 2 ? 0xC0 : length == 3 ? 0xE0 : 0xF0
        return (0..<length).map { index in
            let bits = scalar >> UInt32(6 * (length - 1 - index))
            return UInt8(truncatingIfNeeded: index == 0 ? marker | bits : 0x80 | (bits & 0x3F))
        }
    }
}

/// A set of bytes as 256 bits.
struct ByteSet: Sendable, Hashable {
    private var low: UInt64 = 0
    private var lowMiddle: UInt64 = 0
    private var highMiddle: UInt64 = 0
    private var high: UInt64 = 0

    init() {}

    init(_ range: ClosedRange<UInt8>) { insert(range) }

    mutating func insert(_ range: ClosedRange<UInt8>) {
        for byte in range {
            let bit: UInt64 = 1 << UInt64(byte & 63)
            switch byte >> 6 {
            case 0: low |= bit
            case 1: lowMiddle |= bit
            case 2: highMiddle |= bit
            default: high |= bit
            }
        }
    }

    func contains(_ byte: UInt8) -> Bool {
        let word =
            switch byte >> 6 {
            case 0: low
            case 1: lowMiddle
            case 2: highMiddle
            default: high
            }
        return word & (1 << UInt64(byte & 63)) != 0
    }

    var isEmpty: Bool { low | lowMiddle | highMiddle | high == 0 }
}

/// A regular expression as a program for a nondeterministic automaton over octets.
struct RegexProgram: Sendable {
    /// One step. What consumes nothing names where to go; the rest go on behind themselves.
    enum Instruction: Sendable {
        case octet(ByteSet)
        /// An octet above 0x7F that belongs to no character in UTF-8.
        case strayOctet
        /// Two ways, the preferred one first.
        case split(Int32, Int32)
        case jump(Int32)
        case assertion(RegexAssertion)
        /// The place is kept in a slot: groups have two each, for their start and their end.
        case save(slot: Int)
        case match

        /// The octets that may lead on from here; nil for what consumes nothing.
        var octets: ByteSet? {
            switch self {
            case .octet(let set): set
            case .strayOctet: Instruction.strayOctets
            case .split, .jump, .assertion, .save, .match: nil
            }
        }

        private static let strayOctets = ByteSet(0x80...0xFF)
    }

    /// The longest program; bounds the work for one octet.
    static let instructionCountMax = 10_000

    let instructions: [Instruction]
    /// The class of each octet; octets of one class take the same way everywhere.
    let classes: [UInt8]
    let classCount: Int

    /// - Parameters:
    ///   - takesStrayOctets: Whether what `.` and inverted classes match includes octets that are
    ///     not UTF-8, as in bodies of any kind.
    ///   - slots: For each group that is kept the slot of its start, with its end in the next; nil
    ///     where places of matches are not asked for.
    init(
        _ node: RegexNode, takesStrayOctets: Bool, slots: [Int: Int]? = nil
    ) throws(RegexError) {
        var writer = RegexProgramWriter(takesStrayOctets: takesStrayOctets, slots: slots)
        try writer.write(node)
        try writer.append(.match)
        instructions = writer.instructions
        (classes, classCount) = RegexProgram.octetClasses(of: writer.instructions)
    }

    /// Joins octets that no instruction and no assertion tells apart.
    private static func octetClasses(of instructions: [Instruction]) -> ([UInt8], Int) {
        var classes = (0...UInt8.max).map { Int(RegexNeighbour($0).rawValue) }
        var seen: Set<ByteSet> = []
        for set in instructions.compactMap(\.octets) where seen.insert(set).inserted {
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

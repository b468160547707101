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
    ///   - slots: For each group to capture, the slot of its start; the next slot holds its end.
    ///     nil if positions of matches are not needed.
    init(
        _ node: RegexNode, takesStrayBytes: Bool, slots: [Int: Int]? = nil
    ) throws(RegexError) {
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

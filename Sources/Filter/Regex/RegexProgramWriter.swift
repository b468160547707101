/// Compiles a syntax tree into a program (Thompson's construction).
struct RegexProgramWriter {
    let takesStrayBytes: Bool
    /// For each group to capture, the slot of its start; nil if positions are not needed.
    let slots: [Int: Int]?
    private(set) var instructions: [RegexProgram.Instruction] = []

    init(takesStrayBytes: Bool, slots: [Int: Int]?) {
        self.takesStrayBytes = takesStrayBytes
        self.slots = slots
    }

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

    // MARK: Sets

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

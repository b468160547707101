/// Turns a syntax tree into a program (Thompson's construction).
struct RegexProgramWriter {
    let takesStrayOctets: Bool
    private(set) var instructions: [RegexProgram.Instruction] = []

    init(takesStrayOctets: Bool) { self.takesStrayOctets = takesStrayOctets }

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
        case .repetition(let node, let minimum, let maximum):
            try writeRepetition(of: node, minimum: minimum, maximum: maximum)
        case .assertion(let assertion): try append(.assertion(assertion))
        }
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
        // A set that goes on to the last scalar came from `.` or an inverted class.
        if takesStrayOctets, set.ranges.last?.upperBound == ScalarSet.last {
            single.insert(0x80...0xFF)
        }
        if !single.isEmpty { alternatives.insert([single], at: 0) }
        // The empty set is an octet that never comes.
        if alternatives.isEmpty { alternatives = [[ByteSet()]] }
        try writeAny(of: alternatives) { (writer, octets) throws(RegexError) in
            for octet in octets { try writer.append(.octet(octet)) }
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
        of node: RegexNode, minimum: Int, maximum: Int?
    ) throws(RegexError) {
        for _ in 0..<minimum {
            let before = instructions.count
            try write(node)
            // Nothing written is nothing to repeat; nested counts would else multiply for ever.
            if instructions.count == before { return }
        }
        guard let maximum else {
            let split = instructions.count
            try append(.split(next, 0))
            try write(node)
            try append(.jump(Int32(truncatingIfNeeded: split)))
            instructions[split] = .split(Int32(truncatingIfNeeded: split + 1), here)
            return
        }
        var splits: [Int] = []
        for _ in minimum..<max(minimum, maximum) {
            splits.append(instructions.count)
            try append(.split(next, 0))
            try write(node)
        }
        for split in splits {
            instructions[split] = .split(Int32(truncatingIfNeeded: split + 1), here)
        }
    }

    private var here: Int32 { Int32(truncatingIfNeeded: instructions.count) }
    private var next: Int32 { here &+ 1 }
}

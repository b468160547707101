/// Looks ahead at each position of one text; positions may be queried in any order that moves from
/// the start to the end.
///
/// The text is read backwards twice: once as a whole, keeping the state at the end of each block,
/// and once more block by block when a block is needed. Memory is therefore a small fraction of the
/// text, and the work is linear in its length.
struct RegexLookahead {
    /// Small enough to keep the states of all positions in a block, however large they are, and
    /// large enough to keep the number of blocks small.
    static let blockByteCount = 2_048

    private var automaton: RegexBackwardAutomaton
    /// The state at the last position of each block.
    private var ends: [PositionSet] = []
    /// Whether a match starts in each block.
    private var beginnings: [Bool] = []
    /// The block whose states are currently stored.
    private var block = 0
    private var states: [Int32] = []
    private var begins: [Bool] = []

    init(_ program: RegexProgram, memoryByteCountMax: Int) {
        automaton = RegexBackwardAutomaton(program, memoryByteCountMax: memoryByteCountMax)
    }

    /// The number of steps and positions examined so far.
    private(set) var stepCount = 0
    var workCount: Int { stepCount + automaton.workCount }

    /// Reads a text. Returns false if no match starts in it.
    mutating func read(_ text: Span<UInt8>) -> Bool {
        let blockCount = text.count / RegexLookahead.blockByteCount + 1
        let state = automaton.endState()
        ends = Array(repeating: automaton.places(of: state), count: blockCount)
        beginnings = Array(repeating: false, count: blockCount)
        for block in (0..<blockCount).reversed() { fill(block, text) }
        return beginnings.contains(true)
    }

    /// Releases everything stored for the text.
    mutating func forgetText() {
        ends = []
        beginnings = []
    }

    /// The first position, at or after `start`, at which a match starts.
    mutating func nextBeginning(from start: Int, in text: Span<UInt8>) -> Int? {
        var index = start
        while index <= text.count {
            let block = index / RegexLookahead.blockByteCount
            let end = min((block + 1) * RegexLookahead.blockByteCount, text.count + 1)
            if beginnings[block] {
                use(block, text)
                while index < end {
                    if begins[index % RegexLookahead.blockByteCount],
                        !UTF8Positions.isInside(index, in: text)
                    {
                        return index
                    }
                    index += 1
                }
            }
            index = end
        }
        return nil
    }

    /// Whether a step of the program consumes the byte at a position and leads to a match.
    mutating func isRight(_ step: Int32, at index: Int, in text: Span<UInt8>) -> Bool {
        guard index < text.count else { return false }
        use(index / RegexLookahead.blockByteCount, text)
        return automaton.isRight(step, in: states[index % RegexLookahead.blockByteCount])
    }

    private mutating func use(_ wanted: Int, _ text: Span<UInt8>) {
        if wanted != block { fill(wanted, text) }
    }

    private mutating func fill(_ block: Int, _ text: Span<UInt8>) {
        let first = block * RegexLookahead.blockByteCount
        let last = min(first + RegexLookahead.blockByteCount - 1, text.count)
        let count = last - first + 1
        if states.count < count {
            states = Array(repeating: 0, count: count)
            begins = Array(repeating: false, count: count)
        }
        self.block = block
        let end = automaton.resume(ends[block])
        var hasBeginning = false
        let state = automaton.goBack(from: end, over: first...last, in: text) {
            index, state, beginsMatch in
            states[index] = state
            begins[index] = beginsMatch
            hasBeginning = hasBeginning || beginsMatch
        }
        stepCount += count
        beginnings[block] = hasBeginning
        if block > 0 { ends[block - 1] = automaton.places(of: state) }
    }
}

/// Reads a text from its end and determines, for each position, from which steps of a program the
/// rest of the text leads to a match. The automaton is deterministic and built lazily.
///
/// A state is the set of the program's byte steps that are viable at a position: they consume the
/// byte there and lead to a match with what follows. A forward pass therefore knows at each branch
/// which path succeeds, never backtracks, and takes linear time.
struct RegexBackwardAutomaton {
    /// The maximum size of the cache when a new part of a text is started, in bytes (approximate).
    static let memoryByteCountMax = 4 << 20

    private let program: RegexProgram
    private let memoryByteCountMax: Int
    /// For each step of the program, the steps that lead to it without consuming anything.
    private let predecessors: [[Int32]]
    /// The class of each byte in UTF-8, and the number of classes including the two last ones: a
    /// stray byte and the text's start.
    private let classes: [UInt8]
    private let stride: Int
    private var states: [PositionSet] = []
    /// The bits of all states, concatenated: they are read for each byte of a match.
    private var words: [UInt64] = []
    private let wordCount: Int
    private var numbers: [PositionSet: Int32] = [:]
    /// The transition for each state and byte class: the target, and in the lowest bit whether a
    /// match starts. The last two classes are a stray byte and the text's start.
    private var steps: [Int32] = []
    private var memoryByteCount = 0
    /// The number of positions examined so far: a measure of the work that does not depend on time.
    private(set) var workCount = 0

    private static let unknown: Int32 = -1

    init(_ program: RegexProgram, memoryByteCountMax: Int = memoryByteCountMax) {
        self.program = program
        self.memoryByteCountMax = memoryByteCountMax
        classes = program.classes
        stride = program.classCount + 2
        wordCount = (program.instructions.count + 63) / 64
        var predecessors = Array(repeating: [Int32](), count: program.instructions.count)
        for (index, instruction) in program.instructions.enumerated() {
            let place = Int32(truncatingIfNeeded: index)
            for target in instruction.ways(from: place) { predecessors[Int(target)].append(place) }
        }
        self.predecessors = predecessors
    }

    /// Whether a step of the program is viable in a state.
    func isRight(_ index: Int32, in state: Int32) -> Bool {
        let word = words[Int(state) &* wordCount &+ Int(index >> 6)]
        return word & (1 << UInt64(index & 63)) != 0
    }

    /// The set of a state. The set stays valid when the cache is cleared.
    func places(of state: Int32) -> PositionSet { states[Int(state)] }

    /// The state at the text's end.
    mutating func endState() -> Int32 {
        number(of: PositionSet(placeCount: program.instructions.count, before: .none))
    }

    /// The number of the state for a set. May clear the cache and so invalidate all other numbers.
    mutating func resume(_ places: PositionSet) -> Int32 {
        if memoryByteCount > memoryByteCountMax {
            states.removeAll(keepingCapacity: true)
            words.removeAll(keepingCapacity: true)
            numbers.removeAll(keepingCapacity: true)
            steps.removeAll(keepingCapacity: true)
            memoryByteCount = 0
        }
        return number(of: places)
    }

    /// Reads a range of a text backwards, from its last position, whose state is given.
    /// - Parameters:
    ///   - outlook: Called for each position with its state and whether a match starts there.
    /// - Returns: the state of the position before the first one.
    mutating func goBack(
        from state: Int32, over places: ClosedRange<Int>, in text: Span<UInt8>,
        _ lookahead: (_ index: Int, _ state: Int32, _ beginsMatch: Bool) -> Void
    ) -> Int32 {
        var state = state
        var index = places.upperBound
        while index >= places.lowerBound {
            let byte = index > 0 ? text[index - 1] : nil
            let slot = Int(state) &* stride &+ column(of: byte, before: index, in: text)
            var step = steps[slot]
            if step == RegexBackwardAutomaton.unknown {
                step = makeStep(from: state, over: byte, isStray: slot % stride == stride - 2)
                steps[slot] = step
            }
            lookahead(index - places.lowerBound, state, step & 1 == 1)
            state = step >> 1
            index -= 1
        }
        return state
    }

    private func column(of byte: UInt8?, before index: Int, in text: Span<UInt8>) -> Int {
        guard let byte else { return stride - 1 }
        if byte >= 0x80, UTF8Positions.isStray(index - 1, in: text) { return stride - 2 }
        return Int(classes[Int(byte)])
    }

    private mutating func makeStep(from state: Int32, over byte: UInt8?, isStray: Bool) -> Int32 {
        let previous = byte.map { RegexNeighbour($0) } ?? .none
        let reached = placesLeading(to: states[Int(state)], after: previous)
        let begins: Int32 = reached.contains(0) ? 1 : 0
        guard let byte else { return state << 1 | begins }
        var right = PositionSet(placeCount: program.instructions.count, before: previous)
        for (index, instruction) in program.instructions.enumerated() {
            let place = Int32(truncatingIfNeeded: index)
            if instruction.takes(byte, isStray: isStray), reached.contains(place &+ 1) {
                right.insert(place)
            }
        }
        workCount += program.instructions.count
        return number(of: right) << 1 | begins
    }

    /// All steps from which a viable step, or the match, is reached without consuming anything.
    private mutating func placesLeading(
        to right: PositionSet, after previous: RegexNeighbour
    ) -> PositionSet {
        var reached = right
        // The program's last step.
        let match = Int32(truncatingIfNeeded: program.instructions.count - 1)
        reached.insert(match)
        var stack: [Int32] = []
        reached.forEach { stack.append($0) }
        while let index = stack.popLast() {
            workCount += 1
            for predecessor in predecessors[Int(index)] where !reached.contains(predecessor) {
                if case .assertion(let assertion) = program.instructions[Int(predecessor)],
                    !assertion.holds(after: previous, before: right.next)
                {
                    continue
                }
                reached.insert(predecessor)
                stack.append(predecessor)
            }
        }
        return reached
    }

    private mutating func number(of places: PositionSet) -> Int32 {
        if let number = numbers[places] { return number }
        let number = Int32(truncatingIfNeeded: states.count)
        states.append(places)
        words += places.words
        numbers[places] = number
        steps.append(contentsOf: repeatElement(RegexBackwardAutomaton.unknown, count: stride))
        memoryByteCount += stride * 4 + 3 * places.byteCount
        return number
    }
}

extension RegexProgram.Instruction {
    /// The steps reached without consuming anything, the preferred one first.
    fileprivate func ways(from index: Int32) -> [Int32] {
        switch self {
        case .byte, .strayByte, .match: []
        case .split(let first, let second): [first, second]
        case .jump(let target): [target]
        case .assertion, .save: [index &+ 1]
        }
    }

    fileprivate func takes(_ byte: UInt8, isStray: Bool) -> Bool {
        switch self {
        case .byte(let set): !isStray && set.contains(byte)
        case .strayByte: isStray
        case .split, .jump, .assertion, .save, .match: false
        }
    }
}

/// A bit set of positions in a program, and the kind of byte that follows them in the text.
struct PositionSet: Hashable, Sendable {
    private(set) var words: [UInt64]
    /// The kind of byte that follows in the text.
    let next: RegexNeighbour

    /// The empty set for a program of this length.
    init(placeCount: Int, before next: RegexNeighbour) {
        words = Array(repeating: 0, count: (placeCount + 63) / 64)
        self.next = next
    }

    func contains(_ index: Int32) -> Bool {
        words[Int(index >> 6)] & (1 << UInt64(index & 63)) != 0
    }

    mutating func insert(_ index: Int32) { words[Int(index >> 6)] |= 1 << UInt64(index & 63) }

    /// Calls `body` with each place, in ascending order.
    func forEach(_ body: (Int32) -> Void) {
        for (index, word) in words.enumerated() {
            var rest = word
            while rest != 0 {
                body(Int32(truncatingIfNeeded: index << 6 + rest.trailingZeroBitCount))
                rest &= rest &- 1
            }
        }
    }

    /// The approximate memory use.
    var byteCount: Int { words.count * 8 + 48 }
}

/// Classifies the bytes of a text as UTF-8 (RFC 3629 §3) at any position, without decoding the text
/// from its start.
enum UTF8Positions {
    /// Whether the byte at a position is above 0x7F and not part of a valid character.
    static func isStray(_ index: Int, in text: Span<UInt8>) -> Bool {
        guard text[index] >= 0x80 else { return false }
        let start = leadPlace(of: index, in: text)
        return start + byteCount(at: start, in: text) <= index
    }

    /// Whether a position lies inside a character, that is, before any of its bytes but the first.
    static func isInside(_ index: Int, in text: Span<UInt8>) -> Bool {
        guard index < text.count, isContinuation(text[index]) else { return false }
        let start = leadPlace(of: index, in: text)
        return start < index && start + byteCount(at: start, in: text) > index
    }

    private static func isContinuation(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }

    /// The position at which a character that contains this byte would start.
    private static func leadPlace(of index: Int, in text: Span<UInt8>) -> Int {
        var start = index
        while start > 0, index - start < 3, isContinuation(text[start]) { start -= 1 }
        return start
    }

    /// The number of bytes of the character that starts at a position; 0 if none does.
    private static func byteCount(at position: Int, in text: Span<UInt8>) -> Int {
        guard let (count, second) = sequence(from: text[position]), position + count <= text.count
        else { return 0 }
        guard count > 1 else { return 1 }
        guard second.contains(text[position + 1]) else { return 0 }
        for index in (position + 2)..<max(position + count, position + 2)
        where !isContinuation(text[index]) { return 0 }
        return count
    }

    /// The length of a character and the valid range of its second byte, by its first byte.
    private static func sequence(from lead: UInt8) -> (count: Int, second: ClosedRange<UInt8>)? {
        switch lead {
        case ..<0x80: (1, 0...0)
        case 0xC2...0xDF: (2, 0x80...0xBF)
        case 0xE0: (3, 0xA0...0xBF)
        case 0xED: (3, 0x80...0x9F)
        case 0xE1...0xEF: (3, 0x80...0xBF)
        case 0xF0: (4, 0x90...0xBF)
        case 0xF1...0xF3: (4, 0x80...0xBF)
        case 0xF4: (4, 0x80...0x8F)
        default: nil
        }
    }
}

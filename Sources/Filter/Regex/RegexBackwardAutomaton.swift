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
    private var states: [PlaceSet] = []
    /// The bits of all states, concatenated: they are read for each byte of a match.
    private var words: [UInt64] = []
    private let wordCount: Int
    private var numbers: [PlaceSet: Int32] = [:]
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
    func isRight(_ place: Int32, in state: Int32) -> Bool {
        let word = words[Int(state) &* wordCount &+ Int(place >> 6)]
        return word & (1 << UInt64(place & 63)) != 0
    }

    /// The set of a state. The set stays valid when the cache is cleared.
    func places(of state: Int32) -> PlaceSet { states[Int(state)] }

    /// The state at the text's end.
    mutating func endState() -> Int32 {
        number(of: PlaceSet(placeCount: program.instructions.count, before: .none))
    }

    /// The number of the state for a set. May clear the cache and so invalidate all other numbers.
    mutating func resume(_ places: PlaceSet) -> Int32 {
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
        _ outlook: (_ index: Int, _ state: Int32, _ beginsMatch: Bool) -> Void
    ) -> Int32 {
        var state = state
        var place = places.upperBound
        while place >= places.lowerBound {
            let byte = place > 0 ? text[place - 1] : nil
            let slot = Int(state) &* stride &+ column(of: byte, before: place, in: text)
            var step = steps[slot]
            if step == RegexBackwardAutomaton.unknown {
                step = makeStep(from: state, over: byte, isStray: slot % stride == stride - 2)
                steps[slot] = step
            }
            outlook(place - places.lowerBound, state, step & 1 == 1)
            state = step >> 1
            place -= 1
        }
        return state
    }

    private func column(of byte: UInt8?, before place: Int, in text: Span<UInt8>) -> Int {
        guard let byte else { return stride - 1 }
        if byte >= 0x80, UTF8Places.isStray(place - 1, in: text) { return stride - 2 }
        return Int(classes[Int(byte)])
    }

    private mutating func makeStep(
        from state: Int32, over byte: UInt8?, isStray: Bool
    ) -> Int32 {
        let previous = byte.map { RegexNeighbour($0) } ?? .none
        let reached = placesLeading(to: states[Int(state)], after: previous)
        let begins: Int32 = reached.contains(0) ? 1 : 0
        guard let byte else { return state << 1 | begins }
        var right = PlaceSet(placeCount: program.instructions.count, before: previous)
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
        to right: PlaceSet, after previous: RegexNeighbour
    ) -> PlaceSet {
        var reached = right
        // The program's last step.
        let match = Int32(truncatingIfNeeded: program.instructions.count - 1)
        reached.insert(match)
        var stack: [Int32] = []
        reached.forEach { stack.append($0) }
        while let place = stack.popLast() {
            workCount += 1
            for predecessor in predecessors[Int(place)] where !reached.contains(predecessor) {
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

    private mutating func number(of places: PlaceSet) -> Int32 {
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
    fileprivate func ways(from place: Int32) -> [Int32] {
        switch self {
        case .byte, .strayByte, .match: []
        case .split(let first, let second): [first, second]
        case .jump(let target): [target]
        case .assertion, .save: [place &+ 1]
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

/// Reads a text from its end and tells, for every place of it, from where in a program the rest of
/// the text leads to a match: a deterministic automaton built while it is used.
///
/// A state is the set of the program's octets that are right at a place of the text: that take the
/// byte there and lead to a match with what follows. So whoever walks from the text's start knows
/// at each branch which way ends well, never turns back, and is done in linear time.
struct RegexBackwardAutomaton {
    /// What is remembered at most, in bytes (roughly), when a new part of a text is begun.
    static let memoryByteCountMax = 4 << 20

    /// What one step back tells.
    struct Step {
        /// Whether a match begins at the place from which the step goes.
        let beginsMatch: Bool
        /// The state of the place before.
        let target: Int32
    }

    private let program: RegexProgram
    private let memoryByteCountMax: Int
    /// For each place of the program those that lead to it without consuming anything.
    private let predecessors: [[Int32]]
    private var states: [PlaceSet] = []
    private var numbers: [PlaceSet: Int32] = [:]
    /// For each state and class of bytes the step: the target, and in its lowest bit whether a
    /// match begins. The last two classes are a stray byte and the text's start.
    private var steps: [Int32] = []
    private var memoryByteCount = 0
    /// How many places were looked at so far: a measure of the work that is no time.
    private(set) var workCount = 0

    private static let unknown: Int32 = -1
    private var stride: Int { program.classCount + 2 }

    init(_ program: RegexProgram, memoryByteCountMax: Int = memoryByteCountMax) {
        self.program = program
        self.memoryByteCountMax = memoryByteCountMax
        var predecessors = Array(repeating: [Int32](), count: program.instructions.count)
        for (index, instruction) in program.instructions.enumerated() {
            let place = Int32(truncatingIfNeeded: index)
            for target in instruction.ways(from: place) { predecessors[Int(target)].append(place) }
        }
        self.predecessors = predecessors
    }

    /// Whether a step of the program is right in a state.
    func isRight(_ place: Int32, in state: Int32) -> Bool { states[Int(state)].contains(place) }

    /// The set behind a number, which stays valid when everything is forgotten.
    func places(of state: Int32) -> PlaceSet { states[Int(state)] }

    /// The state of the text's end.
    mutating func endState() -> Int32 {
        number(of: PlaceSet(placeCount: program.instructions.count, before: .none))
    }

    /// The number of a set. May forget all other numbers.
    mutating func resume(_ places: PlaceSet) -> Int32 {
        if memoryByteCount > memoryByteCountMax {
            states.removeAll(keepingCapacity: true)
            numbers.removeAll(keepingCapacity: true)
            steps.removeAll(keepingCapacity: true)
            memoryByteCount = 0
        }
        return number(of: places)
    }

    /// The step from a place of the text, whose state it is, to the one before.
    mutating func step(from state: Int32, at place: Int, in text: Span<UInt8>) -> Step {
        let byte = place > 0 ? text[place - 1] : nil
        let isStray = place > 0 && UTF8Places.isStray(place - 1, in: text)
        let column =
            byte.map { isStray ? program.classCount : Int(program.classes[Int($0)]) }
            ?? program.classCount + 1
        let slot = Int(state) * stride + column
        if steps[slot] == RegexBackwardAutomaton.unknown {
            steps[slot] = makeStep(from: state, over: byte, isStray: isStray)
        }
        return Step(beginsMatch: steps[slot] & 1 == 1, target: steps[slot] >> 1)
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

    /// All places from which the right ones, or the match, are reached without consuming anything.
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
        numbers[places] = number
        steps.append(contentsOf: repeatElement(RegexBackwardAutomaton.unknown, count: stride))
        memoryByteCount += stride * 4 + 2 * places.byteCount
        return number
    }
}

extension RegexProgram.Instruction {
    /// Where it leads without consuming anything, the preferred way first.
    fileprivate func ways(from place: Int32) -> [Int32] {
        switch self {
        case .octet, .strayOctet, .match: []
        case .split(let first, let second): [first, second]
        case .jump(let target): [target]
        case .assertion, .save: [place &+ 1]
        }
    }

    fileprivate func takes(_ byte: UInt8, isStray: Bool) -> Bool {
        switch self {
        case .octet(let set): !isStray && set.contains(byte)
        case .strayOctet: isStray
        case .split, .jump, .assertion, .save, .match: false
        }
    }
}

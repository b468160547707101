internal import Synchronization

/// Finds the matches of a program and the captures of its groups, with Perl's semantics: the
/// leftmost match, and among those the one that the branches of the pattern prefer.
///
/// Perl tries one alternative after another and backtracks. Here `RegexLookahead` knows for each
/// step whether it leads to a match, so the first such step is taken and no byte is read again.
/// Finding all matches of a text takes time linear in the text and in the program. In a loop whose
/// body can match the empty text, a group may keep the last non-empty iteration, where Perl runs
/// one more.
struct RegexWalker {
    private enum Visit {
        case step(Int32)
        /// The path failed: restore the previous value of a slot.
        case restore(slot: Int, value: Int)
    }

    /// The value of a slot whose group did not participate in the match.
    private static let unset = -1

    private let program: RegexProgram
    private var lookahead: RegexLookahead
    /// For each step of the program, the mark of its last visit, plus one if it was visited twice.
    private var marks: [Int]
    private var mark = 0
    private var stack: [Visit] = []
    private var slots: [Int]
    private var visitCount = 0

    /// - Parameters:
    ///   - slotCount: The number of slots in which the program saves positions.
    ///   - memoryByteCountMax: The maximum size of the cached automaton, in bytes.
    init(
        _ program: RegexProgram, slotCount: Int,
        memoryByteCountMax: Int = RegexBackwardAutomaton.memoryByteCountMax
    ) {
        self.program = program
        lookahead = RegexLookahead(program, memoryByteCountMax: memoryByteCountMax)
        marks = Array(repeating: 0, count: program.instructions.count)
        slots = Array(repeating: RegexWalker.unset, count: slotCount)
    }

    /// The number of steps, positions and bytes examined so far: a measure of the work that does
    /// not depend on time.
    var workCount: Int { visitCount + lookahead.workCount }

    mutating func read(_ text: Span<UInt8>) -> Bool { lookahead.read(text) }

    mutating func forgetText() { lookahead.forgetText() }

    /// The next match in the text that was read.
    /// - Parameters:
    ///   - start: The earliest position at which the match may start.
    ///   - mustTake: Whether a match at `start` must not be empty, because the last match was empty
    ///     and at the same position.
    mutating func match(from start: Int, mustTake: Bool, in text: Span<UInt8>) -> Range<Int>? {
        var index = start
        while let beginning = lookahead.nextBeginning(from: index, in: text) {
            if let end = walk(from: beginning, mustTake && beginning == start, text) {
                return beginning..<end
            }
            index = beginning + 1
        }
        return nil
    }

    /// What the group with its start in a slot captured; nil if it did not participate.
    func capture(slot: Int) -> Range<Int>? {
        let (start, end) = (slots[slot], slots[slot + 1])
        return start == RegexWalker.unset || end < start ? nil : start..<end
    }

    /// The end of the match that starts at a position; nil if it would be empty but must not be.
    private mutating func walk(from start: Int, _ mustTake: Bool, _ text: Span<UInt8>) -> Int? {
        for slot in slots.indices { slots[slot] = RegexWalker.unset }
        var step: Int32 = 0
        var index = start
        while let next = rightStep(from: step, at: index, mustTake && index == start, text) {
            if case .match = program.instructions[Int(next)] { return index }
            step = next &+ 1
            index += 1
        }
        return nil
    }

    /// The preferred step that leads to a match at a position, among those reachable from a step
    /// without consuming anything. The slots are set as on the path to it.
    private mutating func rightStep(
        from first: Int32, at index: Int, _ mustTake: Bool, _ text: Span<UInt8>
    ) -> Int32? {
        let start: Int32
        switch simpleStep(from: first, at: index, text) {
        case .right(let step): return step
        case .open(let step): start = step
        case .none: return nil
        }
        mark += 2
        stack.removeAll(keepingCapacity: true)
        stack.append(.step(start))
        while let visit = stack.popLast() {
            guard case .step(let step) = visit else {
                if case .restore(let slot, let value) = visit { slots[slot] = value }
                continue
            }
            visitCount += 1
            guard marks[Int(step)] < mark else {
                leaveLoop(at: step)
                continue
            }
            marks[Int(step)] = mark
            switch program.instructions[Int(step)] {
            case .match: if !mustTake { return step }
            case .byte, .strayByte:
                if lookahead.isRight(step, at: index, in: text) { return step }
            default: follow(step, at: index, text)
            }
        }
        return nil
    }

    private enum SimpleStep {
        case right(Int32)
        /// Several paths start at this step; `rightStep` must search them.
        case open(Int32)
        case none
    }

    /// Follows a path without branches, the usual case: to a byte, or past branches that start with
    /// a byte that does not lead to a match here.
    private mutating func simpleStep(
        from first: Int32, at index: Int, _ text: Span<UInt8>
    ) -> SimpleStep {
        var step = first
        while true {
            visitCount += 1
            switch program.instructions[Int(step)] {
            case .byte, .strayByte:
                return lookahead.isRight(step, at: index, in: text) ? .right(step) : .none
            case .jump(let target): step = target
            case .split(let preferred, let other):
                guard other > step, program.instructions[Int(preferred)].bytes != nil else {
                    return .open(step)
                }
                if lookahead.isRight(preferred, at: index, in: text) { return .right(preferred) }
                step = other
            case .assertion, .save, .match: return .open(step)
            }
        }
    }

    /// A path that returns to the end of a loop's body consumed nothing in this iteration, so this
    /// was the last one. Any other step that is visited a second time leads nowhere.
    private mutating func leaveLoop(at step: Int32) {
        guard marks[Int(step)] == mark,
            case .split(let preferred, let other) = program.instructions[Int(step)],
            min(preferred, other) <= step
        else { return }
        marks[Int(step)] = mark + 1
        stack.append(.step(max(preferred, other)))
    }

    /// Continues after a step that consumes nothing.
    private mutating func follow(_ step: Int32, at index: Int, _ text: Span<UInt8>) {
        switch program.instructions[Int(step)] {
        case .match, .byte, .strayByte: break
        case .jump(let target): stack.append(.step(target))
        case .split(let preferred, let other):
            stack.append(.step(other))
            stack.append(.step(preferred))
        case .assertion(let assertion):
            let previous = index > 0 ? RegexNeighbour(text[index - 1]) : .none
            let next = index < text.count ? RegexNeighbour(text[index]) : .none
            if assertion.holds(after: previous, before: next) { stack.append(.step(step &+ 1)) }
        case .save(let slot):
            stack.append(.restore(slot: slot, value: slots[slot]))
            slots[slot] = index
            stack.append(.step(step &+ 1))
        }
    }
}

/// Lends out walkers, each for one text at a time. What a walker has cached for its program is
/// reused for the next text, and concurrent texts do not wait for each other.
final class RegexWalkers: Sendable {
    private let fresh: RegexWalker
    private let rested = Mutex<RegexWalker?>(nil)

    init(_ fresh: RegexWalker) { self.fresh = fresh }

    func take() -> RegexWalker { rested.withLock { $0.take() } ?? fresh }

    func give(_ walker: RegexWalker) { rested.withLock { $0 = walker } }
}

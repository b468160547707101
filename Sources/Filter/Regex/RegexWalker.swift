/// Finds where the matches of a program are, and what its groups capture, as Perl does: of all
/// matches the leftmost, and of those that begin there the one that its branches prefer.
///
/// Perl tries one way after the other; here `RegexOutlook` knows for each step whether it ends
/// well, so the first one that does is taken, and no byte is looked at again. All matches of a text
/// together take time linear in the text and in the program. In a loop whose body may take
/// nothing, a group may keep the last round that took something, where Perl has one more.
struct RegexWalker {
    private enum Visit {
        case step(Int32)
        /// The way ended badly: a slot gets back what it held.
        case restore(slot: Int, value: Int)
    }

    /// What a slot holds whose group took no part.
    private static let unset = -1

    private let program: RegexProgram
    private var outlook: RegexOutlook
    /// For each step of the program the number of the place at which it was visited last; one more
    /// where that was a second time.
    private var marks: [Int]
    private var mark = 0
    private var stack: [Visit] = []
    private var slots: [Int]
    private var visitCount = 0

    /// - Parameters:
    ///   - slotCount: How many slots the program saves places in.
    ///   - memoryByteCountMax: What may be remembered of what the program does.
    init(
        _ program: RegexProgram, slotCount: Int,
        memoryByteCountMax: Int = RegexBackwardAutomaton.memoryByteCountMax
    ) {
        self.program = program
        outlook = RegexOutlook(program, memoryByteCountMax: memoryByteCountMax)
        marks = Array(repeating: 0, count: program.instructions.count)
        slots = Array(repeating: RegexWalker.unset, count: slotCount)
    }

    /// How many steps, places and bytes were looked at so far: a measure of the work that is no
    /// time.
    var workCount: Int { visitCount + outlook.workCount }

    /// Begins a text. False where nothing in it matches.
    mutating func read(_ text: Span<UInt8>) -> Bool { outlook.read(text) }

    /// Lets go of what was kept of the text.
    mutating func forgetText() { outlook.forgetText() }

    /// The next match of the text that was read.
    /// - Parameters:
    ///   - start: From where on it may begin.
    ///   - mustTake: Whether one that begins there must take something: the last match took
    ///     nothing and was there, too.
    mutating func match(from start: Int, mustTake: Bool, in text: Span<UInt8>) -> Range<Int>? {
        var place = start
        while let beginning = outlook.nextBeginning(from: place, in: text) {
            if let end = walk(from: beginning, mustTake && beginning == start, text) {
                return beginning..<end
            }
            place = beginning + 1
        }
        return nil
    }

    /// What the group took whose start is in a slot, of the last match; nil where it took no part.
    func capture(slot: Int) -> Range<Int>? {
        let (start, end) = (slots[slot], slots[slot + 1])
        return start == RegexWalker.unset || end < start ? nil : start..<end
    }

    /// Where the match ends that begins at a place; nil where it would take nothing but must.
    private mutating func walk(
        from start: Int, _ mustTake: Bool, _ text: Span<UInt8>
    ) -> Int? {
        for slot in slots.indices { slots[slot] = RegexWalker.unset }
        var step: Int32 = 0
        var place = start
        while let next = rightStep(from: step, at: place, mustTake && place == start, text) {
            if case .match = program.instructions[Int(next)] { return place }
            step = next &+ 1
            place += 1
        }
        return nil
    }

    /// The preferred one of the steps that are right at a place, among those that are reached from
    /// one without consuming anything. The slots are as its way leaves them.
    private mutating func rightStep(
        from first: Int32, at place: Int, _ mustTake: Bool, _ text: Span<UInt8>
    ) -> Int32? {
        let start: Int32
        switch simpleStep(from: first, at: place, text) {
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
            case .octet, .strayOctet:
                if outlook.isRight(step, at: place, in: text) { return step }
            default: follow(step, at: place, text)
            }
        }
        return nil
    }

    private enum SimpleStep {
        case right(Int32)
        /// All is open from here on.
        case open(Int32)
        case none
    }

    /// Follows the only way there is, as mostly there is one: to a byte, or past branches that
    /// begin with a byte that is not right here.
    private mutating func simpleStep(
        from first: Int32, at place: Int, _ text: Span<UInt8>
    ) -> SimpleStep {
        var step = first
        while true {
            visitCount += 1
            switch program.instructions[Int(step)] {
            case .octet, .strayOctet:
                return outlook.isRight(step, at: place, in: text) ? .right(step) : .none
            case .jump(let target): step = target
            case .split(let preferred, let other):
                guard other > step, program.instructions[Int(preferred)].octets != nil else {
                    return .open(step)
                }
                if outlook.isRight(preferred, at: place, in: text) { return .right(preferred) }
                step = other
            case .assertion, .save, .match: return .open(step)
            }
        }
    }

    /// A way that comes back to the end of a loop's body took nothing in this round: the round was
    /// the last. Any other step leads nowhere a second time.
    private mutating func leaveLoop(at step: Int32) {
        guard marks[Int(step)] == mark,
            case .split(let preferred, let other) = program.instructions[Int(step)],
            min(preferred, other) <= step
        else { return }
        marks[Int(step)] = mark + 1
        stack.append(.step(max(preferred, other)))
    }

    /// Goes on behind a step that consumes nothing.
    private mutating func follow(_ step: Int32, at place: Int, _ text: Span<UInt8>) {
        switch program.instructions[Int(step)] {
        case .match, .octet, .strayOctet: break
        case .jump(let target): stack.append(.step(target))
        case .split(let preferred, let other):
            stack.append(.step(other))
            stack.append(.step(preferred))
        case .assertion(let assertion):
            let previous = place > 0 ? RegexNeighbour(text[place - 1]) : .none
            let next = place < text.count ? RegexNeighbour(text[place]) : .none
            if assertion.holds(after: previous, before: next) { stack.append(.step(step &+ 1)) }
        case .save(let slot):
            stack.append(.restore(slot: slot, value: slots[slot]))
            slots[slot] = place
            stack.append(.step(step &+ 1))
        }
    }
}

/// What lies ahead at each place of one text, told in any order from its start to its end.
///
/// The text is read twice from its end: once as a whole, when the state at the end of each block is
/// kept, and once more each block when its turn comes. So what is kept grows with a small part of
/// the text, and the work with its length alone.
struct RegexOutlook {
    /// A block is small enough for the states of all its places to be remembered, however large
    /// they are, and large enough for the ends of all blocks to be few.
    static let blockByteCount = 2_048

    private var automaton: RegexBackwardAutomaton
    /// For each block what is right at its last place.
    private var ends: [PlaceSet] = []
    /// For each block whether a match begins in it.
    private var beginnings: [Bool] = []
    /// The block whose places are at hand.
    private var block = 0
    private var states: [Int32] = []
    private var begins: [Bool] = []

    init(_ program: RegexProgram, memoryByteCountMax: Int) {
        automaton = RegexBackwardAutomaton(program, memoryByteCountMax: memoryByteCountMax)
    }

    /// How many steps and places were looked at so far.
    private(set) var stepCount = 0
    var workCount: Int { stepCount + automaton.workCount }

    /// Reads a text. False where no match begins in it.
    mutating func read(_ text: Span<UInt8>) -> Bool {
        let blockCount = text.count / RegexOutlook.blockByteCount + 1
        let state = automaton.endState()
        ends = Array(repeating: automaton.places(of: state), count: blockCount)
        beginnings = Array(repeating: false, count: blockCount)
        for block in (0..<blockCount).reversed() { fill(block, text) }
        return beginnings.contains(true)
    }

    /// Lets go of what was kept of the text.
    mutating func forgetText() {
        ends = []
        beginnings = []
    }

    /// The first place from one on where a match begins.
    mutating func nextBeginning(from start: Int, in text: Span<UInt8>) -> Int? {
        var place = start
        while place <= text.count {
            let block = place / RegexOutlook.blockByteCount
            let end = min((block + 1) * RegexOutlook.blockByteCount, text.count + 1)
            if beginnings[block] {
                use(block, text)
                while place < end {
                    if begins[place % RegexOutlook.blockByteCount],
                        !UTF8Places.isInside(place, in: text)
                    {
                        return place
                    }
                    place += 1
                }
            }
            place = end
        }
        return nil
    }

    /// Whether a step of the program takes the byte at a place and leads to a match.
    mutating func isRight(_ step: Int32, at place: Int, in text: Span<UInt8>) -> Bool {
        guard place < text.count else { return false }
        use(place / RegexOutlook.blockByteCount, text)
        return automaton.isRight(step, in: states[place % RegexOutlook.blockByteCount])
    }

    private mutating func use(_ wanted: Int, _ text: Span<UInt8>) {
        if wanted != block { fill(wanted, text) }
    }

    private mutating func fill(_ block: Int, _ text: Span<UInt8>) {
        let first = block * RegexOutlook.blockByteCount
        let last = min(first + RegexOutlook.blockByteCount - 1, text.count)
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

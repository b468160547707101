/// Looks ahead at each position of one text; positions may be queried in any order that moves from
/// the start to the end.
///
/// The text is read backwards twice: once as a whole, keeping the state at the end of each block,
/// and once more block by block when a block is needed. Memory is therefore a small fraction of the
/// text, and the work is linear in its length.
struct RegexOutlook {
    /// Small enough to keep the states of all positions in a block, however large they are, and
    /// large enough to keep the number of blocks small.
    static let blockByteCount = 2_048

    private var automaton: RegexBackwardAutomaton
    /// The state at the last position of each block.
    private var ends: [PlaceSet] = []
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
        let blockCount = text.count / RegexOutlook.blockByteCount + 1
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

    /// Whether a step of the program consumes the byte at a position and leads to a match.
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

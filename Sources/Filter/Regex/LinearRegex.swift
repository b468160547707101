internal import Synchronization

/// A regular expression whose search takes time linear in the text, whatever the expression and the
/// text: Swift's own engine backtracks, and captured text is untrusted.
package final class LinearRegex: Sendable {
    package let pattern: String
    /// The literal text with which every match starts, or nil if the pattern does not imply one
    /// (`^api\.` does); never empty.
    package let literalPrefix: String?
    private let automaton: Mutex<RegexAutomaton>

    /// - Parameters:
    ///   - ignoresCase: Whether ASCII letters match in both cases, as with `(?i)`.
    ///   - isForBodies: Whether `.` also matches line ends and bytes that are not UTF-8.
    /// - Throws: the error in the pattern, and its position.
    package convenience init(_ pattern: String, ignoresCase: Bool, isForBodies: Bool)
        throws(RegexError)
    {
        let flags = RegexParser.Flags(ignoresCase: ignoresCase, dotTakesNewline: isForBodies)
        let node = try RegexParser.parse(pattern, flags: flags).node
        let program = try RegexProgram(node, takesStrayBytes: isForBodies)
        self.init(pattern, literalPrefix: node.literalPrefix, program)
    }

    init(_ pattern: String, literalPrefix: String?, _ program: RegexProgram) {
        self.pattern = pattern
        self.literalPrefix = literalPrefix
        automaton = Mutex(RegexAutomaton(program))
    }

    /// Whether the expression matches anywhere in the text's bytes.
    package func matches(_ text: Span<UInt8>) -> Bool {
        automaton.withLock { $0.matches(text) }
    }
}

/// Why a regular expression or a replacement template is rejected.
package struct RegexError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The text that contains the error.
    package enum Subject: Sendable, Hashable {
        case pattern
        case template
    }

    package let subject: Subject
    /// The position of the error, in Unicode scalars from 0.
    let offset: Int
    package let message: String

    init(_ subject: Subject = .pattern, offset: Int, message: String) {
        self.subject = subject
        self.offset = offset
        self.message = message
    }

    /// The position of the error, in characters (Unicode scalars) from 1.
    package var column: Int { offset + 1 }

    /// One line: `column 3: this ( is never closed`.
    package var description: String { "column \(column): \(message)" }
}

/// Runs a program in time linear in the text, as a deterministic automaton that is built lazily.
///
/// A state is the set of positions in the program together with the kind of the previous byte. Each
/// transition is computed once and cached; memory is bounded by clearing the cache when it grows
/// too large. A byte never costs more work than the program's length.
struct RegexAutomaton {
    /// The maximum size of the cache, in bytes (approximate).
    static let memoryByteCountMax = 4 << 20

    private enum Target {
        static let unknown: Int32 = -1
        static let match: Int32 = -2
    }

    private let program: RegexProgram
    /// Sorted program positions, followed by the kind of the previous byte, for each state.
    private var states: [[Int32]] = []
    private var numbers: [[Int32]: Int32] = [:]
    /// For each state, the next state for each byte class, followed by the one for the text's end.
    private var transitions: [Int32] = []
    private var memoryByteCount = 0
    private var marks: [UInt32]
    private var mark: UInt32 = 0

    private var stride: Int { program.classCount + 1 }

    init(_ program: RegexProgram) {
        self.program = program
        marks = Array(repeating: 0, count: program.instructions.count)
    }

    mutating func matches(_ text: Span<UInt8>) -> Bool {
        var state = number(of: [RegexNeighbour.none.rawValue])
        for index in text.indices {
            let byte = text[index]
            let slot = Int(state) * stride + Int(program.classes[Int(byte)])
            var target = transitions[slot]
            if target == Target.unknown { target = advance(state, over: byte) }
            if target == Target.match { return true }
            state = target
        }
        let slot = Int(state) * stride + program.classCount
        let target = transitions[slot]
        return (target == Target.unknown ? advance(state, over: nil) : target) == Target.match
    }

    /// Computes and caches the transition for a byte (nil: the text's end).
    private mutating func advance(_ state: Int32, over byte: UInt8?) -> Int32 {
        let key = states[Int(state)]
        let previous = key.last.flatMap { RegexNeighbour(rawValue: $0) } ?? .none
        let next = byte.map { RegexNeighbour($0) } ?? .none
        guard let places = places(from: key.dropLast(), after: previous, before: next) else {
            remember(Target.match, from: state, over: byte)
            return Target.match
        }
        guard let byte else {
            remember(state, from: state, over: nil)
            return state
        }
        var targets: [Int32] = []
        for place in places {
            switch program.instructions[Int(place)] {
            case .byte(let set): if set.contains(byte) { targets.append(place &+ 1) }
            // The automaton sees single bytes and cannot tell which are invalid UTF-8.
            case .strayByte: if byte >= 0x80 { targets.append(place &+ 1) }
            case .split, .jump, .assertion, .save, .match: break
            }
        }
        targets.sort()
        targets.append(next.rawValue)
        if memoryByteCount > RegexAutomaton.memoryByteCountMax {
            forget()
            return number(of: targets)
        }
        let target = number(of: targets)
        remember(target, from: state, over: byte)
        return target
    }

    /// Follows everything that consumes nothing, also from the program's start, since a match may
    /// start anywhere. Returns nil if that reaches a match.
    private mutating func places(
        from key: ArraySlice<Int32>, after previous: RegexNeighbour, before next: RegexNeighbour
    ) -> [Int32]? {
        mark &+= 1
        var stack: [Int32] = Array(key)
        stack.append(0)
        var found: [Int32] = []
        while let index = stack.popLast() {
            guard marks[Int(index)] != mark else { continue }
            marks[Int(index)] = mark
            switch program.instructions[Int(index)] {
            case .match: return nil
            case .byte, .strayByte: found.append(index)
            case .save: stack.append(index &+ 1)
            case .jump(let target): stack.append(target)
            case .split(let first, let second):
                stack.append(second)
                stack.append(first)
            case .assertion(let assertion):
                if assertion.holds(after: previous, before: next) { stack.append(index &+ 1) }
            }
        }
        return found
    }

    private mutating func remember(_ target: Int32, from state: Int32, over byte: UInt8?) {
        let column = byte.map { Int(program.classes[Int($0)]) } ?? program.classCount
        transitions[Int(state) * stride + column] = target
    }

    private mutating func number(of key: [Int32]) -> Int32 {
        if let number = numbers[key] { return number }
        let number = Int32(truncatingIfNeeded: states.count)
        states.append(key)
        numbers[key] = number
        transitions.append(contentsOf: repeatElement(Target.unknown, count: stride))
        memoryByteCount += stride * 4 + key.count * 8 + 128
        return number
    }

    private mutating func forget() {
        states.removeAll(keepingCapacity: true)
        numbers.removeAll(keepingCapacity: true)
        transitions.removeAll(keepingCapacity: true)
        memoryByteCount = 0
        mark = 0
        marks = Array(repeating: 0, count: marks.count)
    }
}

/// The path that the name of a pair may denote.
struct ParameterName {
    /// One step of the path.
    enum Step: Hashable {
        /// A member of the root, or `[b]` or `.b`.
        case member(String)
        /// `[]`.
        case append
    }

    /// How a step was written.
    enum Notation {
        case plain
        case brackets
        case dot
    }

    private(set) var steps: [Step] = []
    /// The notation of each step.
    private(set) var notations: [Notation] = []
    /// Why the name is treated as text although it contains brackets or dots.
    private(set) var problem: ParameterGuess.Kind?

    init(_ name: String, depthMax: Int, dotsNest: Bool) {
        var name = name
        name.withUTF8 { bytes in
            problem =
                ParameterName.isPlain(bytes, dotsNest)
                ? nil : parse(bytes, max(1, depthMax), dotsNest)
        }
        guard problem != nil || steps.isEmpty else { return }
        steps = [.member(name)]
        notations = [.plain]
    }

    private static func isPlain(_ bytes: UnsafeBufferPointer<UInt8>, _ dotsNest: Bool) -> Bool {
        !bytes.contains { $0 == 0x5B || $0 == 0x5D || ($0 == 0x2E && dotsNest) }
    }

    /// Parses the steps one after another; returns the reason if the name is not a path.
    private mutating func parse(
        _ bytes: UnsafeBufferPointer<UInt8>, _ depthMax: Int, _ dotsNest: Bool
    ) -> ParameterGuess.Kind? {
        var index = 0
        var notation = Notation.plain
        while true {
            // A word up to the next bracket or dot.
            let start = index
            while index < bytes.count, !isMark(bytes[index], dotsNest) { index += 1 }
            guard index > start else {
                return index < bytes.count && bytes[index] == 0x2E || index == bytes.count
                    ? .dotsAsText : .bracketsAsText
            }
            let member = Step.member(text(bytes[start..<index]))
            if let problem = add(member, notation, depthMax) { return problem }
            while index < bytes.count, bytes[index] == 0x5B {
                if let problem = addBrackets(bytes, &index, depthMax) { return problem }
            }
            guard index < bytes.count else { return nil }
            guard dotsNest, bytes[index] == 0x2E else { return .bracketsAsText }
            notation = .dot
            index += 1
        }
    }

    private mutating func addBrackets(
        _ bytes: UnsafeBufferPointer<UInt8>, _ index: inout Int, _ depthMax: Int
    ) -> ParameterGuess.Kind? {
        let start = index + 1
        var end = start
        while end < bytes.count, bytes[end] != 0x5D, bytes[end] != 0x5B { end += 1 }
        guard end < bytes.count, bytes[end] == 0x5D else { return .bracketsAsText }
        index = end + 1
        let step = end == start ? Step.append : .member(text(bytes[start..<end]))
        return add(step, .brackets, depthMax)
    }

    private mutating func add(
        _ step: Step, _ notation: Notation, _ depthMax: Int
    ) -> ParameterGuess.Kind? {
        guard steps.count < depthMax else { return .tooDeep }
        steps.append(step)
        notations.append(notation)
        return nil
    }

    private func isMark(_ byte: UInt8, _ dotsNest: Bool) -> Bool {
        byte == 0x5B || byte == 0x5D || (byte == 0x2E && dotsNest)
    }

    private func text(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
        String(decoding: bytes, as: UTF8.self)
    }
}

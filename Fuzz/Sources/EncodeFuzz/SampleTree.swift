internal import FuzzSupport
internal import ProxydParameterCoding

/// Makes trees that every form of encoding can carry without a guess: no container is empty, and
/// names are letters with a number behind, so that none is twice in an object, looks like an
/// index, or holds what a form takes for a path.
struct SampleTree {
    private static let depthMax = 6
    private static let childCountMax = 5

    private var input: FuzzInput

    init(_ input: inout FuzzInput) { self.input = input }

    mutating func object(depth: Int = 0) -> Parameter {
        let count = 1 + Int(input.choice()) % SampleTree.childCountMax
        return .object(
            (0..<count).map { index in
                Parameter.Member(name(index), value(depth: depth + 1))
            })
    }

    private mutating func value(depth: Int) -> Parameter {
        let isAtEnd = input.rest.isEmpty
        let choice = input.choice() & 7
        guard depth < SampleTree.depthMax, choice < 2, !isAtEnd else {
            return choice == 2 ? .null : .string(String(decoding: input.line(), as: UTF8.self))
        }
        if choice == 0 { return object(depth: depth) }
        let count = 1 + Int(input.choice()) % SampleTree.childCountMax
        return .array((0..<count).map { _ in value(depth: depth + 1) })
    }

    private mutating func name(_ index: Int) -> String {
        let line = input.line().filter { ![0x5B, 0x5D, 0x5C, 0x25].contains($0) }
        return "n" + String(decoding: line, as: UTF8.self) + "-\(index)"
    }

    /// What was read of JSON as what was written.
    static func parameter(_ value: JSONValue) -> Parameter {
        switch value {
        case .null: .null
        case .bool(let value): .bool(value)
        case .number(let digits): .decimal(digits)
        case .string(let text): .string(text)
        case .array(let elements): .array(elements.map(parameter))
        case .object(let members):
            .object(members.map { Parameter.Member($0.name, parameter($0.value)) })
        }
    }
}

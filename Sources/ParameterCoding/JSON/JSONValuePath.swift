/// The path from the root of a JSON text to one value: `a.x[2].y`, as `JSONLeaf` writes it.
public struct JSONValuePath: Sendable, Hashable {
    /// One step of a path.
    public enum Step: Sendable, Hashable {
        /// The member with a name; the last one if there are several, as in most parsers.
        case member(String)
        /// The element at a position, from 0.
        case element(Int)
    }

    /// The steps; empty for the root.
    public var steps: [Step]

    /// Creates a path from its steps.
    public init(_ steps: [Step]) {
        self.steps = steps
    }

    /// Parses a path: names joined with `.`, positions as `[2]`. A name that is empty or contains
    /// `.` or `[` is written as a JSON string in brackets: `a["x.y"]`.
    /// - Throws: if the text is not a valid path.
    public init(_ text: String) throws(JSONPathError) {
        var bytes = Array(text.utf8)[...]
        var steps: [Step] = []
        while let first = bytes.first {
            if first == 0x5B {
                steps.append(try JSONValuePath.bracketed(&bytes))
                continue
            }
            if first == 0x2E, !steps.isEmpty { bytes.removeFirst() }
            let name = bytes.prefix { $0 != 0x2E && $0 != 0x5B }
            guard !name.isEmpty else { throw .badPath }
            steps.append(.member(String(decoding: name, as: UTF8.self)))
            bytes = bytes[name.endIndex...]
        }
        self.steps = steps
    }

    private static func bracketed(_ bytes: inout ArraySlice<UInt8>) throws(JSONPathError) -> Step {
        bytes.removeFirst()
        guard bytes.first == 0x22 else {
            let digits = bytes.prefix { Byte.isDigit($0) }
            guard let position = Int(String(decoding: digits, as: UTF8.self)),
                bytes[digits.endIndex...].first == 0x5D
            else { throw .badPath }
            bytes = bytes[(digits.endIndex + 1)...]
            return .element(position)
        }
        var end = bytes.startIndex + 1
        while end < bytes.endIndex, bytes[end] != 0x22 {
            end += bytes[end] == 0x5C ? 2 : 1
        }
        guard end + 1 < bytes.endIndex, bytes[end + 1] == 0x5D,
            case .string(let name)? = try? JSONReader().read(Array(bytes[...end]))
        else { throw .badPath }
        bytes = bytes[(end + 2)...]
        return .member(name)
    }
}

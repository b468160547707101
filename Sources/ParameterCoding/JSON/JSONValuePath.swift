/// The way from a JSON text's root to one value: `a.x[2].y`, as `JSONLeaf` writes it.
public struct JSONValuePath: Sendable, Hashable {
    /// One step.
    public enum Step: Sendable, Hashable {
        /// The member of a name. Of several the last one is meant: it is what most readers see.
        case member(String)
        /// The element at a position, from 0.
        case element(Int)
    }

    /// The steps; none is the root.
    public var steps: [Step]

    /// A path of steps.
    public init(_ steps: [Step]) {
        self.steps = steps
    }

    /// Reads a path: names joined with `.`, positions as `[2]`. A name that is empty or has a
    /// `.` or `[` in it is written as a JSON string in brackets: `a["x.y"]`.
    /// - Throws: where the text is not of that form.
    public init(_ text: String) throws(JSONPathError) {
        var octets = Array(text.utf8)[...]
        var steps: [Step] = []
        while let first = octets.first {
            if first == 0x5B {
                steps.append(try JSONValuePath.bracketed(&octets))
                continue
            }
            if first == 0x2E, !steps.isEmpty { octets.removeFirst() }
            let name = octets.prefix { $0 != 0x2E && $0 != 0x5B }
            guard !name.isEmpty else { throw .badPath }
            steps.append(.member(String(decoding: name, as: UTF8.self)))
            octets = octets[name.endIndex...]
        }
        self.steps = steps
    }

    private static func bracketed(_ octets: inout ArraySlice<UInt8>) throws(JSONPathError) -> Step {
        octets.removeFirst()
        guard octets.first == 0x22 else {
            let digits = octets.prefix { Octet.isDigit($0) }
            guard let position = Int(String(decoding: digits, as: UTF8.self)),
                octets[digits.endIndex...].first == 0x5D
            else { throw .badPath }
            octets = octets[(digits.endIndex + 1)...]
            return .element(position)
        }
        var end = octets.startIndex + 1
        while end < octets.endIndex, octets[end] != 0x22 {
            end += octets[end] == 0x5C ? 2 : 1
        }
        guard end + 1 < octets.endIndex, octets[end + 1] == 0x5D,
            case .string(let name)? = try? JSONReader().read(Array(octets[...end]))
        else { throw .badPath }
        octets = octets[(end + 2)...]
        return .member(name)
    }
}

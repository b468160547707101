/// The path from the root of a JSON text to one value: `a.x[2].y`, as `JSONLeaf` writes it.
public struct JSONValuePath: Sendable, Hashable {
    public enum Step: Sendable, Hashable {
        /// The member with a name; the last one if there are several, as in most parsers.
        case member(String)
        /// The element at a position, from 0.
        case element(Int)
    }

    /// The steps; empty for the root.
    public var steps: [Step]

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

extension JSONValuePath: CustomStringConvertible {
    /// The path in the form that is parsed: `a.x[2].y`.
    public var description: String {
        var text = ""
        for step in steps {
            switch step {
            case .element(let position): text += "[\(position)]"
            case .member(let name) where JSONValuePath.isPlain(name):
                text += (text.isEmpty ? "" : ".") + name
            case .member(let name):
                let quoted = (try? JSONWriter().write(JSONValue.string(name))) ?? []
                text += "[" + String(decoding: quoted, as: UTF8.self) + "]"
            }
        }
        return text
    }

    private static func isPlain(_ name: String) -> Bool {
        !name.isEmpty && !name.utf8.contains { [0x22, 0x2E, 0x5B, 0x5D].contains($0) }
    }
}

/// Why a value cannot be set or removed.
public enum JSONPathError: Error, Sendable, Hashable {
    /// A text that is not a valid path.
    case badPath
    /// A step into a scalar, by name into an array or by position into an object; `stepIndex` is
    /// the number of steps before it.
    case wrongContainer(stepIndex: Int)
    /// A position more than one beyond an array's end, after `stepIndex` steps.
    case noSuchElement(stepIndex: Int)
    case rootCannotBeRemoved
    case notJSON(JSONSyntaxError)
    case cannotBeWritten(JSONWritingError)
}

extension JSONPathError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .badPath: "the text is not a path"
        case .wrongContainer(let index):
            "step \(index + 1) of the path does not fit the value it leads into"
        case .noSuchElement(let index):
            "step \(index + 1) of the path is after the end of the array"
        case .rootCannotBeRemoved: "the root cannot be removed"
        case .notJSON(let error): "not JSON: \(error)"
        case .cannotBeWritten(let error): "the value cannot be written: \(error)"
        }
    }
}

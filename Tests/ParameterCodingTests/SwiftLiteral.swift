import ProxydParameterCoding

/// Reads parameters as a program writes them down, as far as the documentation does.
struct SwiftLiteral {
    struct Mistake: Error {
        let rest: String
    }

    private(set) var rest: Substring

    init(_ text: String) { rest = text[...] }

    /// The value of a whole text.
    static func parameter(_ text: String) throws -> Parameter {
        var literal = SwiftLiteral(text)
        let value = try literal.value()
        guard literal.rest.isEmpty else { throw literal.mistake }
        return value
    }

    /// The next value.
    mutating func value() throws -> Parameter {
        switch rest.first {
        case "\"": return .string(try string())
        case "[": return try collection()
        case ".": return try tagged()
        default: return try word()
        }
    }

    /// Takes a text if it comes next.
    mutating func take(_ text: String) -> Bool {
        guard rest.hasPrefix(text) else { return false }
        rest = rest.dropFirst(text.count)
        return true
    }

    /// Takes a text that must come next.
    mutating func expect(_ text: String) throws {
        guard take(text) else { throw mistake }
    }

    /// The next text in quotation marks.
    mutating func string() throws -> String {
        try expect("\"")
        var text = ""
        while let character = rest.popFirst(), character != "\"" {
            if character != "\\" {
                text.append(character)
            } else if take("n") {
                text.append("\n")
            } else if take("\"") {
                text.append("\"")
            } else {
                throw mistake
            }
        }
        return text
    }

    private var mistake: Mistake { Mistake(rest: String(rest)) }

    private mutating func collection() throws -> Parameter {
        try expect("[")
        if take(":]") { return .object([]) }
        var elements: [Parameter] = []
        var members: [Parameter.Member] = []
        while !take("]") {
            let first = try value()
            if take(": ") {
                guard case .string(let name) = first else { throw mistake }
                members.append(.init(name, try value()))
            } else {
                elements.append(first)
            }
            _ = take(", ")
        }
        return members.isEmpty ? .array(elements) : .object(members)
    }

    private mutating func tagged() throws -> Parameter {
        if take(".double(.infinity)") { return .double(.infinity) }
        guard let parenthesis = rest.firstIndex(of: "(") else { throw mistake }
        let tag = rest[..<parenthesis]
        rest = rest[rest.index(after: parenthesis)...]
        let inside = try value()
        try expect(")")
        switch (tag, inside) {
        case (".decimal", .string(let digits)): return .decimal(digits)
        case (".raw", .string(let text)): return .raw(Array(text.utf8))
        case (".set", .array(let elements)): return .set(elements)
        case (".date", .int(let seconds)):
            return .date(ParameterDate(secondsSince2001: Double(seconds)))
        case (".date", .double(let seconds)):
            return .date(ParameterDate(secondsSince2001: seconds))
        case (".data", .array(let elements)):
            return .data(
                try elements.map {
                    guard case .int(let byte) = $0 else { throw mistake }
                    return UInt8(byte)
                })
        default: throw mistake
        }
    }

    private mutating func word() throws -> Parameter {
        let word = String(rest.prefix { !",:]) ".contains($0) })
        rest = rest.dropFirst(word.count)
        switch word {
        case "nil": return nil
        case "true": return true
        case "false": return false
        default: break
        }
        if let number = Int64(word) { return .int(number) }
        if let number = UInt64(word) { return .uint(number) }
        guard let number = Double(word) else { throw mistake }
        return .double(number)
    }
}

internal import ProxydParameterCoding

extension JSONValue {
    /// A whole number with all its digits.
    static func digits(_ value: some BinaryInteger) -> JSONValue { .number(String(value)) }

    /// A number in its shortest form; what JSON has no number for as the text that the JSON mapping
    /// of protocol buffers gives it.
    static func floating(_ value: some BinaryFloatingPoint & CustomStringConvertible) -> JSONValue {
        if value.isNaN { return .string("NaN") }
        if value.isInfinite { return .string(value < 0 ? "-Infinity" : "Infinity") }
        let text = value.description
        return .number(text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
    }

    /// An object of members in the order given.
    static func members(_ members: [(String, JSONValue)]) -> JSONValue {
        .object(members.map { Member(name: $0.0, value: $0.1) })
    }
}

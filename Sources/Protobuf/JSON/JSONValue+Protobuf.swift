internal import ProxydParameterCoding

extension JSONValue {
    /// An integer with all its digits.
    static func digits(_ value: some BinaryInteger) -> JSONValue { .number(String(value)) }

    /// A number in its shortest form; a non-finite number is the string defined by ProtoJSON.
    static func floating(_ value: some BinaryFloatingPoint & CustomStringConvertible) -> JSONValue {
        if value.isNaN { return .string("NaN") }
        if value.isInfinite { return .string(value < 0 ? "-Infinity" : "Infinity") }
        let text = value.description
        return .number(text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
    }

    /// An object with members in the given order.
    static func members(_ members: [(String, JSONValue)]) -> JSONValue {
        .object(members.map { Member(name: $0.0, value: $0.1) })
    }
}

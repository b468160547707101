public import ProxydParameterCoding

/// Builds JSON values from optional ones: nil becomes null, never a missing member.
extension JSONValue {
    /// A string, or null.
    public static func text(_ value: String?) -> JSONValue { value.map(JSONValue.string) ?? .null }

    /// A whole number, or null.
    public static func integer(_ value: (some BinaryInteger)?) -> JSONValue {
        value.map { .number(String($0)) } ?? .null
    }

    /// Nanoseconds as milliseconds, with microsecond precision.
    public static func milliseconds(_ nanoseconds: Int64?) -> JSONValue {
        guard let nanoseconds else { return .null }
        let micros = (nanoseconds.magnitude &+ 500) / 1_000
        let sign = nanoseconds < 0 && micros > 0 ? "-" : ""
        let fraction = String(micros % 1_000)
        let padded = String(repeating: "0", count: max(0, 3 - fraction.count)) + fraction
        return .number("\(sign)\(micros / 1_000).\(padded)")
    }

    /// An array of strings.
    public static func strings(_ values: [String]) -> JSONValue {
        .array(values.map(JSONValue.string))
    }

    /// An object with members in the given order.
    public static func members(_ members: [(String, JSONValue)]) -> JSONValue {
        .object(members.map { Member(name: $0.0, value: $0.1) })
    }

    /// `[[name, value], …]`.
    public static func pairs(_ pairs: [(String, String?)]) -> JSONValue {
        .array(pairs.map { .array([.string($0.0), .text($0.1)]) })
    }
}

/// Why a value cannot be written as JSON.
public enum JSONWritingError: Error, Sendable, Hashable {
    /// An infinity or NaN, or a non-finite date.
    case notFinite
    /// A number given as text that does not match JSON's grammar (RFC 8259 §6).
    case badNumber(String)
    /// A date outside the years 1 to 9999, which the style cannot represent.
    case dateOutOfRange(ParameterDate)
    /// Nesting deeper than the writer's limit.
    case tooDeep
}

extension JSONWritingError: CustomStringConvertible {
    /// A message for the user.
    public var description: String {
        switch self {
        case .notFinite: "a number is infinite or not a number and has no form in JSON"
        case .badNumber(let text): "a number is written “\(text)”, which is not a number in JSON"
        case .dateOutOfRange: "a date is not in the years 1 to 9999"
        case .tooDeep: "the value is nested too deep"
        }
    }
}

/// Why a value has no JSON text.
public enum JSONWritingError: Error, Sendable, Hashable {
    /// An infinity or NaN, or a point in time at one.
    case notFinite
    /// A number given as text that is none of JSON's grammar (RFC 8259 §6).
    case badNumber(String)
    /// A point in time outside the years 1 to 9999, which the style cannot write.
    case dateOutOfRange(ParameterDate)
    /// More nesting than the writer's limit.
    case tooDeep
}

extension JSONWritingError: CustomStringConvertible {
    /// What is wrong, for a person.
    public var description: String {
        switch self {
        case .notFinite: "a number is infinite or not a number and has no form in JSON"
        case .badNumber(let text): "a number is written “\(text)”, which is none in JSON"
        case .dateOutOfRange: "a date is not in the years 1 to 9999"
        case .tooDeep: "the value is nested too deep"
        }
    }
}

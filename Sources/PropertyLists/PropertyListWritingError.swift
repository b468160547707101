public import ProxydParameterCoding

/// Why a value cannot be written as a property list.
public enum PropertyListWritingError: Error, Sendable, Hashable {
    /// Property lists have no null.
    case nullHasNoForm
    /// Bytes that are already encoded cannot be part of a property list.
    case rawHasNoForm
    /// An infinity or NaN, or a non-finite date.
    case notFinite
    /// An invalid decimal number, or one too large for a double.
    case badNumber(String)
    /// A date outside the years 1 to 9999, which XML lists cannot represent.
    case dateOutOfRange(ParameterDate)
    /// A text with a control character that XML cannot represent.
    case textHasNoForm
    /// Nesting deeper than 512 levels.
    case tooDeep
}

extension PropertyListWritingError: CustomStringConvertible {
    /// A message for the user.
    public var description: String {
        switch self {
        case .nullHasNoForm: "a property list cannot hold null"
        case .rawHasNoForm: "bytes that are already encoded cannot be part of a property list"
        case .notFinite: "a number is infinite or not a number and cannot be sent"
        case .badNumber(let text): "a number is written “\(text)”, which is not a number"
        case .dateOutOfRange: "a date is not in the years 1 to 9999"
        case .textHasNoForm: "a text contains a control character, which XML does not allow"
        case .tooDeep: "the value is nested too deep"
        }
    }
}

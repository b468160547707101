/// Why parameters cannot be encoded. Keys are given as the path they would have been sent with.
public enum ParameterEncodingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A query or form holds pairs, so its root must be an object.
    case rootIsNotObject
    /// An infinity or NaN, which has no encoded form.
    case numberNotFinite(key: String)
    /// A decimal number with invalid text.
    case badDecimal(key: String, text: String)
    /// A date outside the years 1 to 9999, which a calendar date cannot represent.
    case dateOutOfRange(key: String)
    /// A date pattern with an unknown letter or an unbalanced apostrophe.
    case badDatePattern(String)
    /// Containers nested more deeply than the encoder supports.
    case nestedTooDeeply(depthMax: Int)
    /// Already encoded bytes inside a JSON text, where they have no meaning.
    case rawInsideJSON(key: String)
    /// A value of a type that is neither `Encodable` nor a container of such values.
    case notEncodable(key: String, type: String)
    /// Parameters for the body, with an encoding that puts them elsewhere.
    case bodyEncodingMakesNoBody

    /// A message for the user.
    public var description: String {
        switch self {
        case .rootIsNotObject:
            "parameters of a query or form must be an object, so that each value has a name"
        case .numberNotFinite(let key):
            "the number “\(key)” is infinite or not a number and cannot be sent"
        case .badDecimal(let key, let text):
            "the decimal number “\(key)” is written “\(text)”, which is not a number"
        case .dateOutOfRange(let key):
            "the date “\(key)” is not in the years 1 to 9999"
        case .badDatePattern(let pattern):
            "the date pattern “\(pattern)” may have only the letters y M d H m s S"
                + " and text in apostrophes"
        case .nestedTooDeeply(let depthMax):
            "parameters are nested more than \(depthMax) levels deep"
        case .rawInsideJSON(let key):
            "bytes that are already encoded cannot be part of the JSON text of “\(key)”"
        case .notEncodable(let key, let type):
            "the value “\(key)” is of the type \(type), which is not Encodable and cannot be sent"
        case .bodyEncodingMakesNoBody:
            "the encoding chosen for the body does not put parameters into the body"
        }
    }
}

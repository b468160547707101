/// A value to send as a parameter: ordered and typed.
///
/// Literals in a program become parameters, as does any `Encodable` through `ParameterTreeEncoder`;
/// decoded data becomes one through a tree view. Members of objects keep their order and may share
/// a name, as in received data.
public indirect enum Parameter: Sendable, Hashable {
    public struct Member: Sendable, Hashable {
        /// The name of the member, before any encoding.
        public var name: String
        public var value: Parameter

        public init(_ name: String, _ value: Parameter) {
            self.name = name
            self.value = value
        }
    }

    /// No value: `nil` in Swift, `null` in JSON.
    case null
    /// A Boolean; never a number.
    case bool(Bool)
    case int(Int64)
    case uint(UInt64)
    /// A floating-point number. Infinities and NaN cannot be encoded: encoding them throws.
    case double(Double)
    /// A decimal number as its digits: `12.30` stays `12.30`. The grammar is JSON's `number`.
    case decimal(String)
    case string(String)
    /// Binary data, not text.
    case data([UInt8])
    case date(ParameterDate)
    case array([Parameter])
    /// Elements whose order is insignificant; encoders that sort order them by their text.
    case set([Parameter])
    case object([Member])
    /// Bytes that are already encoded: encoders copy them unchanged.
    case raw([UInt8])
}

extension Parameter: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral,
    ExpressibleByStringInterpolation, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(nilLiteral: ()) { self = .null }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(integerLiteral value: Int64) { self = .int(value) }
    public init(floatLiteral value: Double) { self = .double(value) }
    public init(stringLiteral value: String) { self = .string(value) }
    public init(arrayLiteral elements: Parameter...) { self = .array(elements) }
    public init(dictionaryLiteral elements: (String, Parameter)...) {
        self = .object(elements.map { Member($0.0, $0.1) })
    }
}

extension Parameter {
    /// The error for the first number or date that is infinite or NaN; nil if it has no key.
    package func refusalOfNotFinite() -> ParameterEncodingError? {
        key { value in
            switch value {
            case .double(let number): !number.isFinite
            case .date(let date): !date.secondsSince2001.isFinite
            default: false
            }
        }.map { .numberNotFinite(key: $0) }
    }

    /// The error for a decimal number with invalid text; nil if it has no key.
    package func refusalOfDecimal(_ text: String) -> ParameterEncodingError? {
        key { $0 == .decimal(text) }.map { .badDecimal(key: $0, text: text) }
    }

    /// The error for a date that the format cannot represent; nil if it has no key.
    package func refusalOfDate(_ date: ParameterDate) -> ParameterEncodingError? {
        key { $0 == .date(date) }.map { .dateOutOfRange(key: $0) }
    }

    /// The path of the first scalar that satisfies `isWanted`, as a query would name it: `a[0][b]`.
    /// nil if there is none, or it is the root. Nesting uses no stack.
    private func key(where isWanted: (Parameter) -> Bool) -> String? {
        var rest: [(key: String, value: Parameter)] = [("", self)]
        while let (key, value) = rest.popLast() {
            switch value {
            case .array(let elements), .set(let elements):
                for (index, element) in elements.enumerated().reversed() {
                    rest.append(("\(key)[\(index)]", element))
                }
            case .object(let members):
                for member in members.reversed() {
                    let name = key.isEmpty ? member.name : "\(key)[\(member.name)]"
                    rest.append((name, member.value))
                }
            default:
                if isWanted(value) { return key.isEmpty ? nil : key }
            }
        }
        return nil
    }
}

/// Why parameters cannot be encoded. Keys are given as the path they would have been sent with.
public enum ParameterEncodingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A query or form consists of pairs, so its root must be an object.
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

    public var description: String {
        switch self {
        case .rootIsNotObject:
            "parameters of a query or form must be an object, so that each value has a name"
        case .numberNotFinite(let key):
            "the number “\(key)” is infinite or not a number and cannot be sent"
        case .badDecimal(let key, let text):
            "the decimal number “\(key)” is written “\(text)”, which is not a number"
        case .dateOutOfRange(let key): "the date “\(key)” is not in the years 1 to 9999"
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

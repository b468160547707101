public import ProxydParameterCoding
internal import FoundationEssentials

/// Parameters with values of any types: `["page": page, "q": text]` and variables of the type
/// `[String: Any]` become this.
///
/// A value may be anything `Encodable`, an optional of it, a result of `JSONSerialization`, a
/// `Parameter`, or an array, set or dictionary of these, at any depth. A dictionary has no order,
/// so its members are sorted by name. Use a `Parameter` if the order matters.
public struct MixedParameters: Sendable {
    private let read: Result<Parameter, any Error>

    /// Converts the values. A value that cannot be sent is reported when a request is made from it.
    public init(_ values: [String: Any?]) {
        read = Result { try MixedValueReader().parameter(values, key: "", depth: 0) }
    }

    /// - Throws: `ParameterEncodingError`, or any error of a value's own `encode(to:)`.
    public var parameter: Parameter { get throws { try read.get() } }
}

extension MixedParameters: Encodable {
    /// Writes the values by the encoder's own rules for dates, data and names.
    public func encode(to encoder: any Encoder) throws {
        try EncodableParameter(parameter: parameter).encode(to: encoder)
    }
}

/// A type whose values may be among parameters of mixed types although it is not `Encodable`. The
/// module `ProxydClientFoundation` makes `NSNumber` and `NSNull` conform.
public protocol MixedValue {
    var mixedParameter: Parameter { get }
}

/// Builds a tree from values whose types are known only at run time.
struct MixedValueReader {
    /// The tree of a value; `key` names it in errors, as it would in a query.
    func parameter(_ value: Any?, key: String, depth: Int) throws -> Parameter {
        guard depth <= ParameterTreeEncoder.depthMax else {
            throw ParameterEncodingError.nestedTooDeeply(depthMax: ParameterTreeEncoder.depthMax)
        }
        guard let value = present(value) else { return .null }
        if let scalar = try scalar(value) { return scalar }
        if let members = value as? [AnyHashable: Any?] {
            return try object(members, key: key, depth: depth)
        }
        if let elements = value as? [Any?] {
            return .array(try self.elements(elements, key: key, depth: depth))
        }
        if let elements = value as? Set<AnyHashable> {
            return .set(try self.elements(elements.map(\.base), key: key, depth: depth))
        }
        throw ParameterEncodingError.notEncodable(key: key, type: "\(type(of: value))")
    }

    /// Unwraps nested optionals, which `Any` hides.
    private func present(_ value: Any?) -> Any? {
        var value = value
        while let inner = value, let optional = inner as? any AnyOptional {
            value = optional.wrapped
        }
        return value
    }

    /// The tree of a value that is not a container. Swift's own types are checked before
    /// classes, because a cast would turn an `Int` into an `NSNumber`.
    private func scalar(_ value: Any) throws -> Parameter? {
        switch value {
        case let parameter as Parameter: parameter
        case let json as JSONValue: Parameter(json)
        case let mixed as MixedParameters: try mixed.parameter
        case let encodable as any Encodable: try ParameterTreeEncoder().encode(encodable)
        case let text as any StringProtocol: .string(String(text))
        case let value as any MixedValue: value.mixedParameter
        default: nil
        }
    }

    private func object(
        _ members: [AnyHashable: Any?], key: String, depth: Int
    ) throws -> Parameter {
        let named = try members.map { member -> (name: String, value: Any?) in
            (try name(member.key, key: key), member.value)
        }
        let sorted = named.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        return .object(
            try sorted.map { name, value in
                let path = key.isEmpty ? name : "\(key)[\(name)]"
                return Parameter.Member(name, try parameter(value, key: path, depth: depth + 1))
            })
    }

    /// The key as text: strings and integers, the same as `Encodable` dictionaries allow.
    private func name(_ key: AnyHashable, key path: String) throws -> String {
        switch key.base {
        case let text as any StringProtocol: String(text)
        case let number as any BinaryInteger: "\(number)"
        default:
            throw ParameterEncodingError.notEncodable(
                key: path, type: "Dictionary with keys of the type \(type(of: key.base))")
        }
    }

    private func elements(_ elements: [Any?], key: String, depth: Int) throws -> [Parameter] {
        try elements.enumerated().map { index, element in
            try parameter(element, key: "\(key)[\(index)]", depth: depth + 1)
        }
    }
}

private protocol AnyOptional {
    var wrapped: Any? { get }
}

extension Optional: AnyOptional {
    fileprivate var wrapped: Any? { self }
}

/// Makes a parameter tree encodable: dates and data follow the encoder's settings.
struct EncodableParameter: Encodable {
    let parameter: Parameter

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(_ name: String) { stringValue = name }
        init?(stringValue: String) { self.init(stringValue) }
        init?(intValue: Int) { nil }
    }

    func encode(to encoder: any Encoder) throws {
        switch parameter {
        case .array(let elements), .set(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(EncodableParameter(parameter: element)) }
        case .object(let members):
            var container = encoder.container(keyedBy: Name.self)
            for member in members {
                try container.encode(
                    EncodableParameter(parameter: member.value), forKey: Name(member.name))
            }
        default:
            var container = encoder.singleValueContainer()
            try encodeScalar(to: &container)
        }
    }

    private func encodeScalar(to container: inout any SingleValueEncodingContainer) throws {
        switch parameter {
        case .bool(let value): try container.encode(value)
        case .int(let value): try container.encode(value)
        case .uint(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .decimal(let digits):
            guard let value = Decimal(string: digits) else {
                throw ParameterEncodingError.badDecimal(key: path(container), text: digits)
            }
            try container.encode(value)
        case .data(let bytes): try container.encode(Data(bytes))
        case .date(let date):
            try container.encode(Date(timeIntervalSinceReferenceDate: date.secondsSince2001))
        case .raw: throw ParameterEncodingError.rawInsideJSON(key: path(container))
        case .null, .array, .set, .object: try container.encodeNil()
        }
    }

    private func path(_ container: any SingleValueEncodingContainer) -> String {
        container.codingPath.map(\.stringValue).joined(separator: ".")
    }
}

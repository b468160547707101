internal import FoundationEssentials
internal import ProxydParameterCoding

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
                return Parameter.Member(
                    name, try parameter(value, key: path, depth: depth + 1))
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

/// An optional of unknown type.
private protocol AnyOptional {
    var wrapped: Any? { get }
}

extension Optional: AnyOptional {
    fileprivate var wrapped: Any? { self }
}

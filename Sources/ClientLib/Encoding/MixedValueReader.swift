internal import Foundation
internal import ProxydParameterCoding

/// Makes a tree of values whose types are known at run time only.
struct MixedValueReader {
    /// The tree of a value; `key` names it in errors as a query would.
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

    /// Optionals in optionals come of `Any`, which hides them.
    private func present(_ value: Any?) -> Any? {
        var value = value
        while let inner = value, let optional = inner as? any AnyOptional {
            value = optional.wrapped
        }
        return value
    }

    /// What is not a container of anything. Swift's own types go before Foundation's classes: a
    /// cast would make `NSNumber` of an `Int`.
    private func scalar(_ value: Any) throws -> Parameter? {
        switch value {
        case let parameter as Parameter: parameter
        case let json as JSONValue: Parameter(json)
        case let mixed as MixedParameters: try mixed.parameter
        case let encodable as any Encodable: try ParameterTreeEncoder().encode(encodable)
        case let text as any StringProtocol: .string(String(text))
        case is NSNull: .null
        case let number as NSNumber: Self.parameter(number)
        default: nil
        }
    }

    /// A number by the type it was made of: `c` is how a truth value is marked.
    private static func parameter(_ number: NSNumber) -> Parameter {
        switch String(cString: number.objCType) {
        case "c": .bool(number.boolValue)
        case "d", "f": .double(number.doubleValue)
        case "Q": .uint(number.uint64Value)
        default: .int(number.int64Value)
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

    /// Text, or a whole number, as `Encodable` dictionaries have them too.
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

/// An optional whose type is not known.
private protocol AnyOptional {
    var wrapped: Any? { get }
}

extension Optional: AnyOptional {
    fileprivate var wrapped: Any? { self }
}

import Foundation
import ProxydParameterCoding

/// A value of the shared vectors: JSON with one-member objects as tags for Swift's types.
indirect enum ParameterVectorValue: Decodable {
    case null
    case bool(Bool)
    case int(Int64)
    case double(Double)
    case string(String)
    case array([ParameterVectorValue])
    case object([String: ParameterVectorValue])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .int(value)
        } else if let value = try? container.decode(Double.self) {
            self = .double(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([ParameterVectorValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: ParameterVectorValue].self))
        }
    }

    var text: String? {
        switch self {
        case .string(let text): text
        case .int(let number): number.description
        case .double(let number): number.description
        default: nil
        }
    }

    var isTrue: Bool {
        if case .bool(true) = self { return true }
        return false
    }

    subscript(name: String) -> ParameterVectorValue? {
        if case .object(let members) = self { return members[name] }
        return nil
    }

    /// The tag and what is tagged.
    var tagged: (tag: String, value: ParameterVectorValue)? {
        if case .object(let members) = self, let member = members.first {
            return (member.key, member.value)
        }
        return nil
    }

    /// The pairs of a list of two-element lists.
    var pairs: [(name: String, value: ParameterVectorValue)] {
        guard case .array(let elements) = self else { return [] }
        return elements.compactMap { element in
            guard case .array(let pair) = element, pair.count == 2, let name = pair[0].text else {
                return nil
            }
            return (name, pair[1])
        }
    }
}

import Foundation
import ProxydParameterCoding

/// A vector's value as an `Encodable`, so that the way through the tree encoder is taken, too.
struct ParameterVectorTree: Encodable {
    struct Key: CodingKey {
        let stringValue: String
        // As in many types of the wild: whatever looks like a number claims to be an index.
        var intValue: Int? { Int(stringValue) }

        init(stringValue: String) { self.stringValue = stringValue }
        init(intValue: Int) { stringValue = intValue.description }
    }

    struct UnknownTag: Error {
        let tag: String
    }

    let value: ParameterVectorValue
    /// Whether `value` is the list of pairs that the root of a vector is.
    var isPairs = false

    func encode(to encoder: any Encoder) throws {
        if isPairs { return try encode(pairs: value, to: encoder) }
        switch value {
        case .array(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(ParameterVectorTree(value: element)) }
        case .object:
            guard let (tag, tagged) = value.tagged else { throw UnknownTag(tag: "") }
            try encode(tag, tagged, to: encoder)
        default:
            var container = encoder.singleValueContainer()
            switch value {
            case .null: try container.encodeNil()
            case .bool(let value): try container.encode(value)
            case .int(let value): try container.encode(value)
            case .double(let value): try container.encode(value)
            case .string(let value): try container.encode(value)
            case .array, .object: break
            }
        }
    }

    private func encode(pairs: ParameterVectorValue, to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        for (name, value) in pairs.pairs {
            try container.encode(ParameterVectorTree(value: value), forKey: Key(stringValue: name))
        }
    }

    private func encode(
        _ tag: String,
        _ tagged: ParameterVectorValue,
        to encoder: any Encoder
    ) throws {
        if tag == "$dict" { return try encode(pairs: tagged, to: encoder) }
        var container = encoder.singleValueContainer()
        switch tag {
        case "$nil", "$null": try container.encodeNil()
        case "$set":
            guard case .array(let elements) = tagged else { throw UnknownTag(tag: tag) }
            let texts = elements.compactMap(\.text)
            if texts.count == elements.count {
                try container.encode(Set(texts))
            } else {
                try container.encode(Set([["p", "q"]]))
            }
        case "$intdict":
            let pairs = try tagged.intPairs()
            try container.encode(Dictionary(uniqueKeysWithValues: pairs))
        default:
            guard let text = tagged.text, let value = Self.scalar(tag, text) else {
                throw UnknownTag(tag: tag)
            }
            try container.encode(value)
        }
    }

    private static func scalar(_ tag: String, _ text: String) -> (any Encodable)? {
        switch tag {
        case "$double": Double(text)
        case "$float": Float(text)
        case "$decimal": Decimal(string: text)
        case "$int8": Int8(text)
        case "$int16": Int16(text)
        case "$int32": Int32(text)
        case "$int64": Int64(text)
        case "$uint": UInt(text)
        case "$uint8": UInt8(text)
        case "$uint16": UInt16(text)
        case "$uint32": UInt32(text)
        case "$uint64": UInt64(text)
        case "$date": Double(text).map { Date(timeIntervalSinceReferenceDate: $0) }
        case "$data": Data(base64Encoded: text)
        case "$url": URL(string: text)
        case "$uuid": UUID(uuidString: text)
        default: nil
        }
    }
}

extension ParameterVectorValue {
    fileprivate func intPairs() throws -> [(Int, String)] {
        guard case .array(let elements) = self else { return [] }
        return elements.compactMap { element in
            guard case .array(let pair) = element, pair.count == 2,
                let key = pair[0].text.flatMap(Int.init), let value = pair[1].text
            else { return nil }
            return (key, value)
        }
    }
}

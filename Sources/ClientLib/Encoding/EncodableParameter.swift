internal import FoundationEssentials
internal import ProxydParameterCoding

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
            for element in elements {
                try container.encode(EncodableParameter(parameter: element))
            }
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

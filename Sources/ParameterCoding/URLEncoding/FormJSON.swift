/// The JSON text that represents a whole array in a query or form.
struct FormJSON {
    let encoding: URLEncoding
    /// The key of the array, for errors.
    let key: String

    /// The text of a value, without white space.
    func text(_ value: Parameter) throws -> [UInt8] {
        try written(try resolved(value, depth: 0))
    }

    private func written(_ resolved: Parameter) throws -> [UInt8] {
        var writer = JSONWriter()
        writer.keyOrder = encoding.keyOrder == .sortedKeys ? .sorted : .asGiven
        writer.writesWholeDoublesAsIntegers = !encoding.numbers.wholeNumbersHaveFraction
        writer.depthMax = URLEncoding.depthMax
        do {
            return try writer.write(resolved)
        } catch {
            throw described(error)
        }
    }

    /// The value with binary data and dates converted as the encoding specifies.
    private func resolved(_ value: Parameter, depth: Int) throws -> Parameter {
        guard depth <= URLEncoding.depthMax else { throw described(.tooDeep) }
        switch value {
        case .data(let bytes):
            if case .deferredToData = encoding.data {
                return .array(bytes.map { .uint(UInt64($0)) })
            }
            return .string(try text(of: value))
        case .date(let date):
            switch encoding.dates {
            case .deferredToDate: return .double(date.secondsSince2001)
            case .secondsSince1970: return .double(date.secondsSince1970)
            case .millisecondsSince1970: return .double(date.secondsSince1970 * 1e3)
            case .iso8601, .formatted, .custom: return .string(try text(of: value))
            }
        case .array(let elements):
            return .array(try elements.map { try resolved($0, depth: depth + 1) })
        case .set(let elements):
            return .set(try elements.map { try resolved($0, depth: depth + 1) })
        case .object(let members):
            return .object(
                try members.map {
                    let name = encoding.keys.name($0.name)
                    return Parameter.Member(name, try resolved($0.value, depth: depth + 1))
                }
            )
        case .raw: throw ParameterEncodingError.rawInsideJSON(key: key)
        default: return value
        }
    }

    private func text(of value: Parameter) throws -> String {
        try FormText(encoding: encoding).text(value, key: { key })
    }

    private func described(_ error: JSONWritingError) -> ParameterEncodingError {
        switch error {
        case .notFinite: .numberNotFinite(key: key)
        case .badNumber(let text): .badDecimal(key: key, text: text)
        case .dateOutOfRange: .dateOutOfRange(key: key)
        case .tooDeep: .nestedTooDeeply(depthMax: URLEncoding.depthMax)
        }
    }
}

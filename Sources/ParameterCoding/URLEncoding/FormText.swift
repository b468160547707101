/// Converts scalar values to text by the rules of an encoding.
struct FormText {
    let encoding: URLEncoding

    /// The text of a value; `key` is called only if an error must name it.
    func text(_ value: Parameter, key: () -> String) throws -> String {
        switch value {
        case .bool(let value):
            return encoding.bools == .numeric ? (value ? "1" : "0") : (value ? "true" : "false")
        case .int(let number): return number.description
        case .uint(let number): return number.description
        case .double(let number): return try text(number, key: key)
        case .decimal(let digits):
            guard JSONNumber.isValid(digits) else {
                throw ParameterEncodingError.badDecimal(key: key(), text: digits)
            }
            return digits
        case .string(let text): return text
        case .data(let bytes):
            if case .custom(let text) = encoding.data { return try text(bytes) }
            return Base64.text(bytes)
        case .date(let date): return try text(date, key: key)
        case .raw(let bytes): return String(decoding: bytes, as: UTF8.self)
        case .null, .array, .set, .object: return ""
        }
    }

    private func text(_ number: Double, key: () -> String) throws -> String {
        guard let text = encoding.numbers.text(number) else {
            throw ParameterEncodingError.numberNotFinite(key: key())
        }
        return text
    }

    private func text(_ date: ParameterDate, key: () -> String) throws -> String {
        switch encoding.dates {
        case .deferredToDate: return try text(date.secondsSince2001, key: key)
        case .secondsSince1970: return try text(date.secondsSince1970, key: key)
        case .millisecondsSince1970: return try text(date.secondsSince1970 * 1e3, key: key)
        case .iso8601:
            guard let text = ISO8601Text.text(date) else {
                throw ParameterEncodingError.dateOutOfRange(key: key())
            }
            return text
        case .formatted(let pattern): return try calendar(pattern, date, key: key)
        case .custom(let text): return try text(date)
        }
    }

    private func calendar(
        _ pattern: String,
        _ date: ParameterDate,
        key: () -> String
    ) throws -> String {
        guard let time = CalendarTime(date) else {
            throw ParameterEncodingError.dateOutOfRange(key: key())
        }
        guard let text = time.text(pattern) else {
            throw ParameterEncodingError.badDatePattern(pattern)
        }
        return text
    }
}

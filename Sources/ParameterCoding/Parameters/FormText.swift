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
        _ pattern: String, _ date: ParameterDate, key: () -> String
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

/// The JSON text that represents a whole array in a query or form.
struct FormJSON {
    let encoding: URLEncoding
    /// The key of the array, for errors.
    let key: String

    /// The text of a value, without white space.
    func text(_ value: Parameter) throws -> [UInt8] { try written(try resolved(value, depth: 0)) }

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

/// Formats numbers as JavaScript does (ECMA-262, `Number::toString` for the radix 10).
enum JavaScriptNumber {
    /// The text of a number; non-finite numbers are written as words.
    static func text(_ number: Double) -> String {
        if number.isNaN { return "NaN" }
        if number.isInfinite { return number < 0 ? "-Infinity" : "Infinity" }
        if number == 0 { return "0" }
        let (digits, pointPlace) = shortest(number.magnitude)
        return (number < 0 ? "-" : "") + text(digits, pointPlace)
    }

    /// The significant digits, and the number of digits before the decimal point. They are the
    /// shortest digits that round-trip, the same that Swift prints.
    private static func shortest(_ number: Double) -> (digits: [UInt8], pointPlace: Int) {
        let parts = number.description.split(separator: "e")
        let mantissa = Array((parts.first ?? "0").utf8)
        let exponent = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
        let point = mantissa.firstIndex(of: UInt8(ascii: ".")) ?? mantissa.count
        var digits = mantissa.filter { $0 != UInt8(ascii: ".") }
        var pointPlace = point + exponent
        while digits.count > 1, digits.last == 0x30 { digits.removeLast() }
        while digits.count > 1, digits.first == 0x30 {
            digits.removeFirst()
            pointPlace -= 1
        }
        return (digits, pointPlace)
    }

    private static func text(_ digits: [UInt8], _ pointPlace: Int) -> String {
        let text = String(decoding: digits, as: UTF8.self)
        switch pointPlace {
        case digits.count...21 where digits.count <= 21:
            return text + zeros(pointPlace - digits.count)
        case 1...21: return text.prefix(pointPlace) + "." + text.dropFirst(pointPlace)
        case -5...0: return "0." + zeros(-pointPlace) + text
        default:
            let exponent = pointPlace - 1
            let fraction = digits.count > 1 ? "." + text.dropFirst() : ""
            return text.prefix(1) + fraction + "e" + (exponent < 0 ? "-" : "+")
                + exponent.magnitude.description
        }
    }

    private static func zeros(_ count: Int) -> String { String(repeating: "0", count: count) }
}

/// Splits camel-case names into words.
enum KeyWords {
    /// The words in lower case, joined by a separator. A run of capitals is one word, except that
    /// its last letter starts the next word if a lower-case letter follows: `myURLValue` has the
    /// words `my`, `url` and `value`.
    static func joined(_ name: String, by separator: Unicode.Scalar) -> String {
        let scalars = Array(name.unicodeScalars)
        var joined = ""
        for (index, scalar) in scalars.enumerated() {
            if index > 0, scalar.properties.isUppercase {
                let previous = scalars[index - 1]
                let next = index + 1 < scalars.count ? scalars[index + 1] : nil
                let endsAcronym =
                    previous.properties.isUppercase && next?.properties.isLowercase == true
                let endsWord = !previous.properties.isUppercase && isWordPart(previous)
                if endsAcronym || endsWord { joined.unicodeScalars.append(separator) }
            }
            joined += scalar.properties.lowercaseMapping
        }
        return joined
    }

    private static func isWordPart(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic || scalar.properties.numericType != nil
    }
}

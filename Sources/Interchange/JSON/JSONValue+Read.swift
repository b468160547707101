internal import ProxydParameterCoding

/// Reads JSON values of unknown shape: anything that does not match is nil.
extension JSONValue {
    /// The first member with a name; nil if it is absent or null.
    subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        guard let value = members.first(where: { $0.name == name })?.value, value != .null else {
            return nil
        }
        return value
    }

    /// The text of a string.
    var text: String? {
        if case .string(let text) = self { return text }
        return nil
    }

    /// The value of a Boolean.
    var bool: Bool? {
        if case .bool(let value) = self { return value }
        return nil
    }

    /// The elements of an array; empty for any other value.
    var elements: [JSONValue] {
        if case .array(let elements) = self { return elements }
        return []
    }

    /// The members of an object; empty for any other value.
    var members: [Member] {
        if case .object(let members) = self { return members }
        return []
    }

    /// A finite number.
    var number: Double? {
        guard case .number(let digits) = self, let value = Double(digits), value.isFinite else {
            return nil
        }
        return value
    }

    /// An integer; `200.0` counts as one.
    var integer: Int64? {
        guard case .number(let digits) = self else { return nil }
        return Int64(digits) ?? number.flatMap { Int64(exactly: $0) }
    }

    /// The bytes of a base64 string.
    var octets: [UInt8]? { text.flatMap(Base64.octets) }

    /// Milliseconds converted to nanoseconds; nil if negative, which means unknown in HAR.
    var nanoseconds: Int64? {
        guard let number, number >= 0, number < 1e12 else { return nil }
        return Int64((number * 1e6).rounded())
    }
}

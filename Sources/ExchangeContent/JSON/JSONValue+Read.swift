package import ProxydParameterCoding

/// Reads JSON values of unknown shape: anything that does not match is nil.
extension JSONValue {
    /// The first member with a name; nil if it is absent or null.
    package subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        guard let value = members.first(where: { $0.name == name })?.value, value != .null else {
            return nil
        }
        return value
    }

    /// The text of a string.
    package var text: String? {
        if case .string(let text) = self { return text }
        return nil
    }

    /// The value of a Boolean.
    package var bool: Bool? {
        if case .bool(let value) = self { return value }
        return nil
    }

    /// The elements of an array; empty for any other value.
    package var elements: [JSONValue] {
        if case .array(let elements) = self { return elements }
        return []
    }

    /// The members of an object; empty for any other value.
    package var members: [Member] {
        if case .object(let members) = self { return members }
        return []
    }

    /// A finite number.
    package var number: Double? {
        guard case .number(let digits) = self, let value = Double(digits), value.isFinite else {
            return nil
        }
        return value
    }

    /// An integer; `200.0` counts as one.
    package var integer: Int64? {
        guard case .number(let digits) = self else { return nil }
        return Int64(digits) ?? number.flatMap { Int64(exactly: $0) }
    }

    /// The bytes of a base64 string.
    package var bytes: [UInt8]? { text.flatMap(Base64.bytes) }

    /// Milliseconds converted to nanoseconds; nil if negative, which means unknown in HAR.
    package var nanoseconds: Int64? {
        guard let number, number >= 0, number < 1e12 else { return nil }
        return Int64((number * 1e6).rounded())
    }
}

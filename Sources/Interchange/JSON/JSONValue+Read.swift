internal import ProxydParameterCoding

/// Looks into JSON values whose shape somebody else chose: whatever does not fit is nil.
extension JSONValue {
    /// The first member of a name; nil where there is none, or where it is null.
    subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        guard let value = members.first(where: { $0.name == name })?.value, value != .null else {
            return nil
        }
        return value
    }

    /// A string's text.
    var text: String? {
        if case .string(let text) = self { return text }
        return nil
    }

    /// A truth value.
    var bool: Bool? {
        if case .bool(let value) = self { return value }
        return nil
    }

    /// The elements of an array; none for anything else.
    var elements: [JSONValue] {
        if case .array(let elements) = self { return elements }
        return []
    }

    /// The members of an object; none for anything else.
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

    /// A whole number, `200.0` too.
    var integer: Int64? {
        guard case .number(let digits) = self else { return nil }
        return Int64(digits) ?? number.flatMap { Int64(exactly: $0) }
    }

    /// The octets of a string in base64.
    var octets: [UInt8]? { text.flatMap(Base64.octets) }

    /// Milliseconds as nanoseconds; nil where negative, which is HAR's word for unknown.
    var nanoseconds: Int64? {
        guard let number, number >= 0, number < 1e12 else { return nil }
        return Int64((number * 1e6).rounded())
    }
}

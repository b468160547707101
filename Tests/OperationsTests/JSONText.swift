import ProxydParameterCoding

extension JSONValue {
    /// The value as compact JSON.
    var json: String {
        get throws { String(decoding: try JSONWriter().write(self), as: UTF8.self) }
    }

    /// A member of an object.
    subscript(_ name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    /// The elements of an array.
    var elements: [JSONValue] {
        if case .array(let elements) = self { return elements }
        return []
    }
}

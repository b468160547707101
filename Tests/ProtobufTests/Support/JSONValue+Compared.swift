import ProxydParameterCoding

extension JSONValue {
    /// The value with members in the order of their names, and numbers as they are meant, not as
    /// they are written.
    var compared: JSONValue {
        switch self {
        case .number(let digits):
            .number(Double(digits).map { "\($0)" } ?? digits)
        case .array(let elements): .array(elements.map(\.compared))
        case .object(let members):
            .object(
                members.map { Member(name: $0.name, value: $0.value.compared) }
                    .sorted { $0.name < $1.name })
        case .null, .bool, .string: self
        }
    }

    var text: String {
        (try? JSONWriter().write(self)).map { String(decoding: $0, as: UTF8.self) } ?? "not JSON"
    }

    subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.name == name }?.value
    }

    static func parsed(_ text: String) throws -> JSONValue {
        try JSONReader().read(Array(text.utf8))
    }
}

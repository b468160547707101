extension Parameter {
    /// What was read of JSON, as a parameter. A number becomes `int` or `uint` where that is
    /// written with the same digits, else `decimal`: nothing is rounded.
    public init(_ value: JSONValue) {
        switch value {
        case .null: self = .null
        case .bool(let isTrue): self = .bool(isTrue)
        case .number(let digits): self = Parameter.number(digits)
        case .string(let text): self = .string(text)
        case .array(let elements): self = .array(elements.map { Parameter($0) })
        case .object(let members):
            self = .object(members.map { Member($0.name, Parameter($0.value)) })
        }
    }

    private static func number(_ digits: String) -> Parameter {
        if let number = Int64(digits), number.description == digits { return .int(number) }
        if let number = UInt64(digits), number.description == digits { return .uint(number) }
        return .decimal(digits)
    }
}

extension Parameter {
    /// Converts a JSON value to a parameter. A number becomes `int` or `uint` if that has the same
    /// digits, otherwise `decimal`: nothing is rounded.
    public init(_ value: JSONValue) {
        // A loop, because JSON may be nested too deeply for recursion on a small stack.
        var levels: [JSONParameterLevel] = []
        var finished = Parameter.scalar(value, orOpen: &levels)
        while let last = levels.indices.last {
            if let child = finished { levels[last].append(child) }
            if let child = levels[last].next() {
                finished = Parameter.scalar(child, orOpen: &levels)
            } else {
                finished = levels.removeLast().parameter
            }
        }
        self = finished ?? .null
    }

    /// The parameter of a scalar; nil for a container, which is pushed as a level.
    private static func scalar(
        _ value: JSONValue, orOpen levels: inout [JSONParameterLevel]
    ) -> Parameter? {
        switch value {
        case .null: return .null
        case .bool(let isTrue): return .bool(isTrue)
        case .number(let digits): return number(digits)
        case .string(let text): return .string(text)
        case .array(let elements): levels.append(JSONParameterLevel(elements: elements))
        case .object(let members): levels.append(JSONParameterLevel(members: members))
        }
        return nil
    }

    private static func number(_ digits: String) -> Parameter {
        if let number = Int64(digits), number.description == digits { return .int(number) }
        if let number = UInt64(digits), number.description == digits { return .uint(number) }
        return .decimal(digits)
    }
}

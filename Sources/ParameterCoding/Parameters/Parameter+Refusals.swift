extension Parameter {
    /// The error for the first number or date that is infinite or NaN; nil if it has no key.
    package func refusalOfNotFinite() -> ParameterEncodingError? {
        key { value in
            switch value {
            case .double(let number): !number.isFinite
            case .date(let date): !date.secondsSince2001.isFinite
            default: false
            }
        }.map { .numberNotFinite(key: $0) }
    }

    /// The error for a decimal number with invalid text; nil if it has no key.
    package func refusalOfDecimal(_ text: String) -> ParameterEncodingError? {
        key { $0 == .decimal(text) }.map { .badDecimal(key: $0, text: text) }
    }

    /// The error for a date that the format cannot represent; nil if it has no key.
    package func refusalOfDate(_ date: ParameterDate) -> ParameterEncodingError? {
        key { $0 == .date(date) }.map { .dateOutOfRange(key: $0) }
    }

    /// The path of the first scalar that satisfies `isWanted`, as a query would name it: `a[0][b]`.
    /// nil if there is none, or it is the root. Nesting uses no stack.
    private func key(where isWanted: (Parameter) -> Bool) -> String? {
        var rest: [(key: String, value: Parameter)] = [("", self)]
        while let (key, value) = rest.popLast() {
            switch value {
            case .array(let elements), .set(let elements):
                for (index, element) in elements.enumerated().reversed() {
                    rest.append(("\(key)[\(index)]", element))
                }
            case .object(let members):
                for member in members.reversed() {
                    let name = key.isEmpty ? member.name : "\(key)[\(member.name)]"
                    rest.append((name, member.value))
                }
            default:
                if isWanted(value) { return key.isEmpty ? nil : key }
            }
        }
        return nil
    }
}

/// Turns `field operator value` into a test of messages.
struct MessageTestBuilder: FilterVocabulary {
    static let exampleField = MessageField.text.rawValue
    static let hasOperators = false

    static func naming(of field: String) -> FilterFieldNaming? {
        MessageField(name: field) == nil ? nil : FilterFieldNaming.none
    }

    func word(_ text: String) -> FilterTree<MessageTest> {
        .test(.text(.text, .contains(ByteSearch(text))))
    }

    func test(
        _ found: MitmproxyOperator, _ value: FilterToken.Value?, column: Int
    ) throws(FilterError) -> FilterTree<MessageTest> {
        throw FilterError(column: column, "messages have no ~\(found.rawValue)")
    }

    func test(
        field: FilterToken.Value, name: FilterToken.Value?, _ comparison: FilterOperator,
        _ value: FilterToken.Value
    ) throws(FilterError) -> FilterTree<MessageTest> {
        guard let known = MessageField(name: field.text) else {
            throw unknown(field, name, comparison, value)
        }
        if let name {
            throw FilterError(column: name.column, "\(known.rawValue) takes no name; quote it")
        }
        switch known.target {
        case .text(let column):
            return .test(.text(column, try match(known, comparison, value)))
        case .number(let column, let units):
            return .test(.number(column, try range(known, units, comparison, value)))
        }
    }

    private func unknown(
        _ field: FilterToken.Value, _ name: FilterToken.Value?, _ comparison: FilterOperator,
        _ value: FilterToken.Value
    ) -> FilterError {
        let written = field.text + (name?.text ?? "")
        return .unknownField(
            written, of: " of messages", at: field.column, near: MessageField.near(field.text),
            searched: "text", test: "\(written)\(comparison.rawValue)\(value.text)")
    }

    private func match(
        _ field: MessageField, _ comparison: FilterOperator, _ value: FilterToken.Value
    ) throws(FilterError) -> FilterTextMatch {
        switch comparison {
        case .contains: return .contains(ByteSearch(value.text))
        case .equals:
            guard field.values.isEmpty || field.values.contains(value.text) else {
                throw FilterError(
                    column: value.column,
                    "\(field.rawValue) is one of \(field.values.joined(separator: ", "))")
            }
            return .equals(value.text)
        case .matches:
            let isForBodies = field == .text || field == .data
            return .regex(
                try LinearRegex.parse(value, ignoresCase: false, isForBodies: isForBodies))
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            throw FilterError(
                column: value.column, "\(field.rawValue) is text: compare it with : = or ~")
        }
    }

    private func range(
        _ field: MessageField, _ units: [String: Int64], _ comparison: FilterOperator,
        _ value: FilterToken.Value
    ) throws(FilterError) -> FilterNumberRange {
        if let quantity = FilterQuantity(value.text, units: units),
            let range = FilterQuantity.range(
                from: quantity.value, to: quantity.value, comparison)
        {
            return range
        }
        let kind = units.count > 1 ? "a size such as 10k or 2M" : "a whole number"
        throw FilterError(
            column: value.column, "\(field.rawValue) takes = < <= > >= and \(kind)")
    }
}

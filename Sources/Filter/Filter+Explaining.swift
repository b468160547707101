extension Filter {
    /// One test of a filter and its result for an exchange.
    package struct TestResult: Sendable {
        /// The tested field or operator and its position in the filter.
        package let look: FilterLook
        /// The result of the test alone; a `not` around it is not applied.
        package let decision: FilterDecision
        /// The tested value if it is a single text or number; otherwise nil.
        package let value: String?
    }

    /// The result of each test for an exchange, in the order of the filter's text.
    package func tests(of subject: some FilterSubject) -> [TestResult] {
        zip(looks, meanings).map { look, meaning in
            TestResult(
                look: look, decision: meaning.decision(subject),
                value: Filter.value(of: meaning, subject))
        }
    }

    private static func value(
        of expression: FilterExpression, _ subject: some FilterSubject
    ) -> String? {
        guard case .test(let test) = expression, subject.isKnown(test.moment) else { return nil }
        switch test {
        case .text(.columns(let columns), _) where columns.count == 1:
            return columns.first.flatMap(subject.text)
        case .text(.header(let name, let sides), _):
            let values = sides.flatMap(subject.headerFields)
                .filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
            return values.isEmpty ? nil : values.joined(separator: ", ")
        case .text(.parameter(let name), _):
            let values = subject.parameterValues(named: name).map { $0 ?? "" }
            return values.isEmpty ? nil : values.joined(separator: ", ")
        case .number(let column, _): return subject.number(column).map(String.init)
        case .text, .closeCode, .isMarked: return nil
        }
    }
}

extension Filter {
    /// A text that a filter looks for in bodies.
    public struct SoughtText: Sendable, Hashable {
        /// What is looked for; ASCII letters in any case.
        public var text: String
        /// In which bodies.
        public var sides: [FilterSide]
    }

    /// The first text that exchanges have in a body because they pass: of `body:TEXT`, not of a
    /// pattern and not of what is excluded. nil where there is none.
    public var soughtInBodies: SoughtText? { expression.soughtInBodies }
}

extension FilterExpression {
    fileprivate var soughtInBodies: Filter.SoughtText? {
        switch self {
        case .everything, .not: nil
        case .all(let parts), .any(let parts): parts.lazy.compactMap(\.soughtInBodies).first
        case .test(.text(.body(let sides), .contains(let search))):
            Filter.SoughtText(
                text: String(decoding: search.needle, as: UTF8.self), sides: sides)
        case .test(.text(.body(let sides), .equals(let text))):
            Filter.SoughtText(text: text, sides: sides)
        case .test: nil
        }
    }
}

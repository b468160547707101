extension Filter {
    /// A text that a filter searches for in bodies.
    public struct SoughtText: Sendable, Hashable {
        /// The text to search for; ASCII letters match in either case.
        public var text: String
        /// The messages whose bodies are searched.
        public var sides: [FilterSide]
    }

    /// The first text that is searched for in bodies, with `body:TEXT` or `body=TEXT` outside
    /// `not`; nil if there is none. If it is in an `or`, an exchange can match without it.
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

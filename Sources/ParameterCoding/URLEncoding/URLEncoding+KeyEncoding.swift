extension URLEncoding {
    /// How the names of members are converted; each component of a path is converted separately.
    public enum KeyEncoding: Sendable {
        /// As given.
        case unchanged
        /// `myURLProperty` becomes `my_url_property`.
        case snakeCase
        /// `myURLProperty` becomes `my-url-property`.
        case kebabCase
        /// The first letter is capitalized.
        case capitalized
        /// All letters are converted to upper case.
        case uppercased
        /// All letters are converted to lower case.
        case lowercased
        /// The name that the closure returns.
        case custom(@Sendable (String) -> String)

        /// The encoded form of a name.
        func name(_ name: String) -> String {
            switch self {
            case .unchanged: name
            case .snakeCase: KeyWords.joined(name, by: "_")
            case .kebabCase: KeyWords.joined(name, by: "-")
            case .capitalized: name.prefix(1).uppercased() + name.dropFirst()
            case .uppercased: name.uppercased()
            case .lowercased: name.lowercased()
            case .custom(let change): change(name)
            }
        }

        var changesNothing: Bool {
            if case .unchanged = self { return true }
            return false
        }
    }
}

extension URLEncoding {
    /// How the names of members are changed, each component of a path for itself.
    public enum KeyEncoding: Sendable {
        /// As given.
        case unchanged
        /// `myURLProperty` becomes `my_url_property`.
        case snakeCase
        /// `myURLProperty` becomes `my-url-property`.
        case kebabCase
        /// The first letter becomes a capital.
        case capitalized
        /// All letters become capitals.
        case uppercased
        /// All letters become small.
        case lowercased
        /// The name given.
        case custom(@Sendable (String) -> String)

        /// The name to send for a name.
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

/// A type of configuration values, with its conversion from and to TOML.
public protocol ConfigurationValue: Equatable, Sendable {
    /// Reads a value; the error says what was expected.
    init(toml node: TOMLNode) throws(ConfigurationValueError)
    /// The value as TOML.
    var tomlText: String { get }
}

extension String: ConfigurationValue {
    /// Reads a string.
    public init(toml node: TOMLNode) throws(ConfigurationValueError) {
        guard case .string(let found) = node.content else {
            throw ConfigurationValueError("expected a string, found \(node.kind)")
        }
        self = found.text
    }

    /// The text in quotes.
    public var tomlText: String {
        let escaped = unicodeScalars.map { scalar in
            switch scalar {
            case "\\": "\\\\"
            case "\"": "\\\""
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                "\\u" + String(0x10000 + scalar.value, radix: 16).dropFirst()
            default: String(scalar)
            }
        }
        return "\"\(escaped.joined())\""
    }
}

extension Int: ConfigurationValue {
    /// Reads an integer.
    public init(toml node: TOMLNode) throws(ConfigurationValueError) {
        guard case .integer(let number) = node.content else {
            throw ConfigurationValueError("expected an integer, found \(node.kind)")
        }
        self = number
    }

    /// The integer as digits.
    public var tomlText: String { String(self) }
}

extension Double: ConfigurationValue {
    /// Reads a number, integer or not.
    public init(toml node: TOMLNode) throws(ConfigurationValueError) {
        switch node.content {
        case .number(let number): self = number
        case .integer(let number): self = Double(number)
        default: throw ConfigurationValueError("expected a number, found \(node.kind)")
        }
    }

    /// The number; an integer without a decimal point.
    public var tomlText: String { Int(exactly: self).map(String.init) ?? String(self) }
}

extension Bool: ConfigurationValue {
    /// Reads a Boolean.
    public init(toml node: TOMLNode) throws(ConfigurationValueError) {
        guard case .boolean(let flag) = node.content else {
            throw ConfigurationValueError("expected true or false, found \(node.kind)")
        }
        self = flag
    }

    /// `true` or `false`.
    public var tomlText: String { self ? "true" : "false" }
}

extension Array: ConfigurationValue where Element: ConfigurationValue {
    /// Reads an array. The error is that of the first wrong element.
    public init(toml node: TOMLNode) throws(ConfigurationValueError) {
        guard case .array(let nodes) = node.content else {
            throw ConfigurationValueError("expected an array, found \(node.kind)")
        }
        self = []
        for node in nodes {
            do {
                append(try Element(toml: node))
            } catch {
                throw ConfigurationValueError(error.message, at: error.position ?? node.position)
            }
        }
    }

    /// The elements in brackets.
    public var tomlText: String { "[" + map(\.tomlText).joined(separator: ", ") + "]" }
}

/// The empty string means that no value is set.
extension Optional: ConfigurationValue where Wrapped == String {
    /// Reads a string.
    public init(toml node: TOMLNode) throws(ConfigurationValueError) {
        let text = try String(toml: node)
        self = text.isEmpty ? nil : text
    }

    /// The string, or an empty one.
    public var tomlText: String { (self ?? "").tomlText }
}

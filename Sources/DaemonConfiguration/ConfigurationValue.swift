internal import Logging
internal import ProxydTLS

/// A type that a configuration key can have: how it is read from TOML and written as TOML.
protocol ConfigurationValue: Equatable, Sendable {
    /// Reads a value; the error says what was expected.
    init(toml node: TOMLNode) throws(ConfigurationValueError)
    /// The value as TOML.
    var tomlText: String { get }
}

/// A value that is written as one TOML string.
protocol ConfigurationStringValue: ConfigurationValue {
    /// What is expected, for a person: `an address such as …`.
    static var expectation: String { get }
    /// Reads the string's text; nil where it is no such value.
    static func read(_ text: String) throws(ConfigurationValueError) -> Self?
    /// The text that reads as this value.
    var text: String { get }
}

extension ConfigurationStringValue {
    init(toml node: TOMLNode) throws(ConfigurationValueError) {
        guard case .string(let text) = node else {
            throw ConfigurationValueError("expected \(Self.expectation), found \(node.kind)")
        }
        guard let value = try Self.read(text) else {
            throw ConfigurationValueError("expected \(Self.expectation), found \"\(text)\"")
        }
        self = value
    }

    var tomlText: String {
        let escaped = text.unicodeScalars.map { scalar in
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

extension String: ConfigurationStringValue {
    static var expectation: String { "a string" }
    static func read(_ text: String) -> String? { text }
    var text: String { self }
}

extension Int: ConfigurationValue {
    init(toml node: TOMLNode) throws(ConfigurationValueError) {
        guard case .integer(let number) = node else {
            throw ConfigurationValueError("expected an integer, found \(node.kind)")
        }
        self = number
    }

    var tomlText: String { String(self) }
}

extension Bool: ConfigurationValue {
    init(toml node: TOMLNode) throws(ConfigurationValueError) {
        guard case .boolean(let flag) = node else {
            throw ConfigurationValueError("expected true or false, found \(node.kind)")
        }
        self = flag
    }

    var tomlText: String { self ? "true" : "false" }
}

extension Array: ConfigurationValue where Element: ConfigurationValue {
    init(toml node: TOMLNode) throws(ConfigurationValueError) {
        guard case .array(let nodes) = node else {
            throw ConfigurationValueError("expected an array, found \(node.kind)")
        }
        self = []
        for node in nodes { append(try Element(toml: node)) }
    }

    var tomlText: String { "[" + map(\.tomlText).joined(separator: ", ") + "]" }
}

/// The empty string stands for nothing chosen.
extension Optional: ConfigurationValue where Wrapped == String {
    init(toml node: TOMLNode) throws(ConfigurationValueError) {
        let text = try String(toml: node)
        self = text.isEmpty ? nil : text
    }

    var tomlText: String { (self ?? "").tomlText }
}

extension HostPattern: ConfigurationStringValue {
    static var expectation: String { "a host pattern" }
    static func read(_ text: String) throws(ConfigurationValueError) -> HostPattern? {
        try HostPattern(text)
    }
}

extension IPNetwork: ConfigurationStringValue {
    static var expectation: String { "an address or ADDRESS/BITS" }
    static func read(_ text: String) -> IPNetwork? { IPNetwork(text) }
    var text: String { description }
}

extension PortRange: ConfigurationStringValue {
    static var expectation: String { "a port or FIRST-LAST, from 1 to 65535" }
    static func read(_ text: String) -> PortRange? { PortRange(text) }
}

extension ListenAddress: ConfigurationStringValue {
    static var expectation: String { "ADDRESS:PORT such as 127.0.0.1:8080 or [::1]:8080" }
    static func read(_ text: String) -> ListenAddress? { ListenAddress(text) }
}

extension AuthorityScope: ConfigurationValue {
    init(toml node: TOMLNode) throws(ConfigurationValueError) {
        let names = try [String](toml: node)
        guard let scope = AuthorityScope(names: names) else {
            throw ConfigurationValueError(
                "expected DNS names such as \"example.com\", which stand for the names below them"
                    + " too; no addresses, no \"*\", other alphabets in xn-- form")
        }
        self = scope
    }

    var tomlText: String { names.tomlText }
}

/// A string of a few that are allowed.
protocol ConfigurationChoice: ConfigurationStringValue, RawRepresentable, CaseIterable
where RawValue == String {}

extension ConfigurationChoice {
    static var expectation: String {
        "one of " + allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
    }
    static func read(_ text: String) -> Self? { Self(rawValue: text) }
    var text: String { rawValue }
}

extension Logger.Level: ConfigurationChoice {}
extension Configuration.Recording.FullQueuePolicy: ConfigurationChoice {}
extension Configuration.Recording.Durability: ConfigurationChoice {}

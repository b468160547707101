public import ProxydConfigurationText
public import Logging
public import ProxydTLS

extension HostPattern: ConfigurationStringValue {
    /// The description of a valid value.
    package static var expectation: String { "a host pattern" }
    /// Parses a host pattern.
    package static func read(_ text: String) throws(ConfigurationValueError) -> HostPattern? {
        try HostPattern(text)
    }
}

extension IPNetwork: ConfigurationStringValue {
    /// The description of a valid value.
    package static var expectation: String { "an address or ADDRESS/BITS" }
    /// Parses a network.
    package static func read(_ text: String) -> IPNetwork? { IPNetwork(text) }
    /// The network in the configuration's format.
    package var text: String { description }
}

extension PortRange: ConfigurationStringValue {
    /// The description of a valid value.
    package static var expectation: String { "a port or FIRST-LAST, from 1 to 65535" }
    /// Parses a port range.
    package static func read(_ text: String) -> PortRange? { PortRange(text) }
}

extension ListenAddress: ConfigurationStringValue {
    /// The description of a valid value.
    package static var expectation: String { "ADDRESS:PORT such as 127.0.0.1:8080 or [::1]:8080" }
    /// Parses a listen address.
    package static func read(_ text: String) -> ListenAddress? { ListenAddress(text) }
}

extension ListenEntry: ConfigurationStringValue {
    /// The description of a valid value.
    package static var expectation: String { ListenAddress.expectation }
    /// Parses a listen entry.
    package static func read(_ text: String) throws(ConfigurationValueError) -> ListenEntry? {
        try ListenEntry(text)
    }
}

extension AuthorityScope: ConfigurationValue {
    /// Reads DNS names.
    public init(toml node: TOMLNode) throws(ConfigurationValueError) {
        let names = try [String](toml: node)
        guard let scope = AuthorityScope(names: names) else {
            throw ConfigurationValueError(
                "expected DNS names such as \"example.com\", which include the names below them;"
                    + " no addresses, no \"*\", other alphabets in xn-- form")
        }
        self = scope
    }

    /// The names.
    public var tomlText: String { names.tomlText }
}

extension Logger.Level: ConfigurationChoice {}
extension Configuration.Recording.FullQueuePolicy: ConfigurationChoice {}
extension Configuration.Recording.HTTP2Frames: ConfigurationChoice {}
extension Configuration.Recording.Durability: ConfigurationChoice {}

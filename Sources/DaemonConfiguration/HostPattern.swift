public import ProxydConfigurationText
public import ProxydTLS
internal import Glibc
public import Logging

/// The hosts that a rule applies to.
///
/// `example.com` is only that name; `*.example.com` every name below it; `*` everything;
/// `10.0.0.0/8` or `2001:db8::1` addresses. Each may end in `:PORT` (an IPv6 address is then in
/// brackets). Names are compared without case and without a final dot.
package struct HostPattern: Sendable, Hashable {
    private enum Host: Sendable, Hashable {
        case any
        case name(String)
        case below(dottedSuffix: String)
        case network(IPNetwork)
    }

    private let host: Host
    private let port: UInt16?
    package let text: String

    package init(_ text: String) throws(ConfigurationValueError) {
        let (hostText, portText) = try Self.splitPort(text)
        if let portText {
            guard let port = UInt16(portText), port > 0 else {
                throw ConfigurationValueError(
                    "\"\(text)\" has no port from 1 to 65535 after the colon"
                )
            }
            self.port = port
        } else {
            port = nil
        }
        host = try Self.host(hostText, of: text)
        self.text = text
    }

    /// Whether the pattern matches this host and port. Brackets around an address are allowed.
    package func matches(host candidate: String, port candidatePort: UInt16) -> Bool {
        if let port, port != candidatePort { return false }
        switch host {
        case .any: return true
        case .name(let name): return Self.normalized(candidate) == name
        case .below(let suffix):
            let name = Self.normalized(candidate)
            return name.hasSuffix(suffix) && name.utf8.count > suffix.utf8.count
        case .network(let network):
            return network.contains(Self.withoutBrackets(Self.normalized(candidate)))
        }
    }

    private static func splitPort(
        _ text: String
    ) throws(ConfigurationValueError) -> (host: String, port: Substring?) {
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else {
                throw ConfigurationValueError("\"\(text)\" has no closing bracket")
            }
            let rest = text[text.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else {
                throw ConfigurationValueError("\"\(text)\" has something other than :PORT after ]")
            }
            let address = String(text[text.index(after: text.startIndex)..<end])
            return (address, rest.isEmpty ? nil : rest.dropFirst())
        }
        // Two or more colons without brackets are an IPv6 address without a port.
        guard let colon = text.firstIndex(of: ":"), colon == text.lastIndex(of: ":") else {
            return (text, nil)
        }
        return (String(text[..<colon]), text[text.index(after: colon)...])
    }

    private static func host(
        _ hostText: String, of text: String
    ) throws(ConfigurationValueError) -> Host {
        if hostText == "*" { return .any }
        if let network = IPNetwork(hostText) { return .network(network) }
        let isSuffix = hostText.hasPrefix("*.")
        let name = normalized(isSuffix ? String(hostText.dropFirst(2)) : hostText)
        guard !name.isEmpty, name.utf8.allSatisfy(isNameByte), !name.hasPrefix(".") else {
            throw ConfigurationValueError(
                "\"\(text)\" is not a host pattern: write a name, *.NAME, *, an address or "
                    + "ADDRESS/BITS, each with or without :PORT; other alphabets in xn-- form"
            )
        }
        return isSuffix ? .below(dottedSuffix: "." + name) : .name(name)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static func normalized(_ name: String) -> String {
        let lowercased = name.lowercased()
        return lowercased.hasSuffix(".") ? String(lowercased.dropLast()) : lowercased
    }

    private static func withoutBrackets(_ host: String) -> String {
        host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    }
}

/// A range of IP addresses, such as `192.168.1.0/24` or `fd00::/8`, or a single address.
///
/// IPv4-mapped IPv6 addresses (`::ffff:10.0.0.1`) are treated as IPv4 addresses.
package struct IPNetwork: Sendable, Hashable {
    /// The network's address: 4 or 16 bytes.
    package let bytes: [UInt8]
    /// The number of leading bits that are compared.
    package let prefixBitCount: Int

    /// Parses `ADDRESS` or `ADDRESS/BITS`, or returns nil if it is neither. No names, no brackets.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = Self.bytes(ofAddress: String(parts[0])) else { return nil }
        bytes = address
        guard parts.count == 2 else {
            prefixBitCount = address.count * 8
            return
        }
        guard let bits = UInt8(parts[1]), bits <= address.count * 8 else { return nil }
        prefixBitCount = Int(bits)
    }

    /// Whether an address, as text without brackets, is in the range.
    package func contains(_ address: String) -> Bool {
        guard let candidate = Self.bytes(ofAddress: address) else { return false }
        return contains(bytes: candidate)
    }

    private func contains(bytes candidate: [UInt8]) -> Bool {
        guard candidate.count == bytes.count else { return false }
        var bitsLeft = prefixBitCount
        for (mine, theirs) in zip(bytes, candidate) where bitsLeft > 0 {
            let mask: UInt8 = bitsLeft >= 8 ? 0xFF : 0xFF << UInt8(8 - bitsLeft)
            guard mine & mask == theirs & mask else { return false }
            bitsLeft -= 8
        }
        return true
    }

    /// Whether every address of the range is one of this machine's loopback addresses.
    package var isLoopback: Bool {
        bytes.count == 4
            ? bytes[0] == 127 && prefixBitCount >= 8
            : bytes == Self.loopback6 && prefixBitCount == 128
    }

    /// Whether every address of the range is one that internet routers do not forward: loopback,
    /// private (RFC 1918, RFC 4193), shared by a provider's customers (RFC 6598), or link-local
    /// (RFC 3927, RFC 4291).
    package var isPrivate: Bool {
        Self.privateNetworks.contains { wider in
            wider.prefixBitCount <= prefixBitCount && wider.contains(bytes: bytes)
        }
    }

    /// Whether the range is public and larger than one owner usually has: a /16, or a /32 for IPv6.
    package var isOpenToStrangers: Bool {
        !isPrivate && prefixBitCount < (bytes.count == 4 ? 16 : 32)
    }

    private static let privateNetworks = [
        "127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10",
        "169.254.0.0/16", "::1", "fc00::/7", "fe80::/10",
    ].compactMap { IPNetwork($0) }

    private static let loopback6: [UInt8] = Array(repeating: 0, count: 15) + [1]
    private static let mappedPrefix: [UInt8] = Array(repeating: 0, count: 10) + [0xFF, 0xFF]

    private static func bytes(ofAddress text: String) -> [UInt8]? {
        // A NUL would end the text early for inet_pton, which would then parse another address.
        guard !text.utf8.contains(0) else { return nil }
        var v4 = in_addr()
        if inet_pton(AF_INET, text, &v4) == 1 { return withUnsafeBytes(of: v4) { Array($0) } }
        var v6 = in6_addr()
        guard inet_pton(AF_INET6, text, &v6) == 1 else { return nil }
        let bytes = withUnsafeBytes(of: v6) { Array($0) }
        return bytes.starts(with: mappedPrefix) ? Array(bytes[12...]) : bytes
    }
}

extension IPNetwork: CustomStringConvertible {
    /// `ADDRESS/BITS`, or only the address if the range is a single one.
    package var description: String {
        var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = bytes.count == 4 ? AF_INET : AF_INET6
        guard inet_ntop(family, bytes, &buffer, socklen_t(buffer.count)) != nil else { return "" }
        let text = String(
            decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self
        )
        return prefixBitCount == bytes.count * 8 ? text : "\(text)/\(prefixBitCount)"
    }
}

/// A port or a range of ports: `443` or `8000-8999`.
package struct PortRange: Sendable, Hashable {
    package let ports: ClosedRange<UInt16>

    /// Parses `PORT` or `FIRST-LAST`, from 1 to 65535; nil for anything else.
    package init?(_ text: String) {
        let ends = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
            .map { UInt16($0) }
        guard let first = ends.first ?? nil, let last = ends.last ?? nil,
            first > 0, first <= last
        else { return nil }
        ports = first...last
    }

    package var text: String {
        ports.count == 1 ? "\(ports.lowerBound)" : "\(ports.lowerBound)-\(ports.upperBound)"
    }
}

/// Servers that are reached without an upstream proxy, as `NO_PROXY` writes them: a name means also
/// every name below it, with or without a leading dot. All patterns of hosts are accepted too.
package struct BypassPattern: Sendable, Hashable, ConfigurationStringValue {
    private let patterns: [HostPattern]
    package let text: String

    package init(_ text: String) throws(ConfigurationValueError) {
        self.text = text
        let name = text.hasPrefix(".") ? String(text.dropFirst()) : text
        let itself = try HostPattern(name)
        // An address, a network, `*` and `*.NAME` have nothing below them.
        guard let below = try? HostPattern("*." + name) else {
            patterns = [itself]
            return
        }
        patterns = [itself, below]
    }

    package func matches(host: String, port: UInt16) -> Bool {
        patterns.contains { $0.matches(host: host, port: port) }
    }

    package static var expectation: String { "a host pattern" }
    package static func read(_ text: String) throws(ConfigurationValueError) -> BypassPattern? {
        try BypassPattern(text)
    }
}

extension HostPattern: ConfigurationStringValue {
    package static var expectation: String { "a host pattern" }
    package static func read(_ text: String) throws(ConfigurationValueError) -> HostPattern? {
        try HostPattern(text)
    }
}

extension IPNetwork: ConfigurationStringValue {
    package static var expectation: String { "an address or ADDRESS/BITS" }
    package static func read(_ text: String) -> IPNetwork? { IPNetwork(text) }
    package var text: String { description }
}

extension PortRange: ConfigurationStringValue {
    package static var expectation: String { "a port or FIRST-LAST, from 1 to 65535" }
    package static func read(_ text: String) -> PortRange? { PortRange(text) }
}

extension ListenAddress: ConfigurationStringValue {
    package static var expectation: String { "ADDRESS:PORT such as 127.0.0.1:8080 or [::1]:8080" }
    package static func read(_ text: String) -> ListenAddress? { ListenAddress(text) }
}

extension ListenEntry: ConfigurationStringValue {
    package static var expectation: String { ListenAddress.expectation }
    package static func read(_ text: String) throws(ConfigurationValueError) -> ListenEntry? {
        try ListenEntry(text)
    }
}

extension AuthorityScope: ConfigurationValue {
    public init(toml node: TOMLNode) throws(ConfigurationValueError) {
        let names = try [String](toml: node)
        guard let scope = AuthorityScope(names: names) else {
            throw ConfigurationValueError(
                "expected DNS names such as \"example.com\", which include the names below them;"
                    + " no addresses, no \"*\", other alphabets in xn-- form")
        }
        self = scope
    }

    public var tomlText: String { names.tomlText }
}

extension Logger.Level: ConfigurationChoice {}
extension Configuration.Recording.FullQueuePolicy: ConfigurationChoice {}
extension Configuration.Recording.HTTP2Frames: ConfigurationChoice {}
extension Configuration.Recording.Durability: ConfigurationChoice {}

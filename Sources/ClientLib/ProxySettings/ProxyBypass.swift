internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// The servers that are connected to without a proxy: `no_proxy`.
public struct ProxyBypass: Sendable, Hashable {
    private enum Entry: Sendable, Hashable {
        case all
        /// A name and all names below it.
        case name(String, port: UInt16?)
        case address(InternetAddress, port: UInt16?)
        case network(InternetAddress, bitCount: Int)
    }

    private var entries: [Entry]

    /// No server bypasses the proxy.
    public static let none = ProxyBypass("")

    /// Parses a list separated by commas or white space: `*` for everything; a name, with or
    /// without a leading dot or `*.`, for itself and every name below it; an address; or a network
    /// such as `10.0.0.0/8`. A port after a name or address restricts it. Invalid entries are
    /// ignored.
    public init(_ list: String) {
        entries = list.split { $0 == "," || $0.isWhitespace }.compactMap(ProxyBypass.entry)
    }

    /// Whether a server bypasses the proxy. The host is without brackets.
    public func contains(host: String, port: UInt16) -> Bool {
        var name = String(decoding: host.utf8.map(ASCII.lowercased), as: UTF8.self)
        if name.hasSuffix(".") { name.removeLast() }
        let address = InternetAddress(name)
        return entries.contains { entry in
            switch entry {
            case .all: true
            case .name(let suffix, let only):
                (only ?? port) == port && (name == suffix || name.hasSuffix("." + suffix))
                    && address == nil
            case .address(let listed, let only): (only ?? port) == port && listed == address
            case .network(let network, let bitCount):
                address?.hasPrefix(of: network, bitCount: bitCount) ?? false
            }
        }
    }

    private static func entry(_ text: Substring) -> Entry? {
        let item = String(decoding: text.utf8.map(ASCII.lowercased), as: UTF8.self)
        if item == "*" { return .all }
        if let slash = item.lastIndex(of: "/") {
            guard let network = InternetAddress(String(item[..<slash])),
                let bitCount = Int(item[item.index(after: slash)...]),
                (0...network.bytes.count * 8).contains(bitCount)
            else { return nil }
            return .network(network, bitCount: bitCount)
        }
        if let address = InternetAddress(item) { return .address(address, port: nil) }
        return entryWithPort(item)
    }

    private static func entryWithPort(_ item: String) -> Entry? {
        var host = item[...]
        var port: UInt16?
        if let colon = item.lastIndex(of: ":"), item.last != "]" {
            guard let number = UInt16(item[item.index(after: colon)...]) else { return nil }
            port = number
            host = item[..<colon]
        }
        if host.first == "[", host.last == "]" { host = host.dropFirst().dropLast() }
        if let address = InternetAddress(String(host)) { return .address(address, port: port) }
        if host.hasPrefix("*") { host = host.dropFirst() }
        if host.hasPrefix(".") { host = host.dropFirst() }
        if host.hasSuffix(".") { host = host.dropLast() }
        return host.isEmpty ? nil : .name(String(host), port: port)
    }
}

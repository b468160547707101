internal import ProxydDaemonConfiguration

/// An address to use instead of resolving a name: `HOST:PORT:ADDR`, as for curl's `--resolve`.
struct HostResolution: Sendable, Equatable {
    let host: String
    let port: UInt16
    /// An IP address without brackets.
    let address: String

    /// Parses a resolution, in which an IPv6 address may be in brackets. Returns nil if it is
    /// invalid.
    init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[0].isEmpty, let port = UInt16(parts[1]), port > 0 else {
            return nil
        }
        var address = parts[2]
        if address.hasPrefix("["), address.hasSuffix("]") {
            address = address.dropFirst().dropLast()
        }
        guard !address.contains("/"), IPNetwork(String(address)) != nil else { return nil }
        host = String(parts[0])
        self.port = port
        self.address = String(address)
    }

    /// Parses resolutions separated by spaces; throws if one is invalid.
    static func list(_ text: String) throws -> [HostResolution] {
        try text.split(separator: " ").map { word in
            guard let resolution = HostResolution(String(word)) else {
                throw CommandFailure("\"\(word)\" is not HOST:PORT:ADDRESS")
            }
            return resolution
        }
    }
}

internal import ProxydDaemonConfiguration

/// Where to connect instead of looking a name up: `HOST:PORT:ADDR`, as for `--resolve` of curl.
struct HostResolution: Sendable, Equatable {
    let host: String
    let port: UInt16
    /// An IP address without brackets.
    let address: String

    /// Reads one; an IPv6 address may stand in brackets. Nil where it is none.
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

    /// Reads some that stand apart by spaces; throws where one is none.
    static func list(_ text: String) throws -> [HostResolution] {
        try text.split(separator: " ").map { word in
            guard let resolution = HostResolution(String(word)) else {
                throw CommandFailure("\"\(word)\" is not HOST:PORT:ADDRESS")
            }
            return resolution
        }
    }
}

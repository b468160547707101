/// Where to listen: an IP address and a TCP port, `127.0.0.1:8080` or `[::1]:8080`.
package struct ListenAddress: Sendable, Hashable {
    /// The address without brackets.
    package let ip: String
    /// 0 lets the system choose.
    package let port: UInt16
    /// Whether only this machine can connect to it.
    package let isLoopback: Bool

    /// Reads `ADDRESS:PORT`; nil where it is something else. Names are not looked up.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"),
            let port = UInt16(text[text.index(after: colon)...])
        else { return nil }
        var address = String(text[..<colon])
        let isBracketed = address.hasPrefix("[") && address.hasSuffix("]")
        if isBracketed { address = String(address.dropFirst().dropLast()) }
        guard address.contains(":") == isBracketed, !address.contains("/"),
            let network = IPNetwork(address)
        else { return nil }
        ip = address
        self.port = port
        isLoopback = network.isLoopback
    }

    /// Whether both are the same address and port, however they are written.
    func isSame(as other: ListenAddress) -> Bool {
        port == other.port && octets == other.octets
    }

    /// Whether a connection could be for both, as one of them stands for every address.
    func overlaps(_ other: ListenAddress) -> Bool {
        guard port == other.port, octets.count == other.octets.count else { return false }
        return octets == other.octets || isUnspecified || other.isUnspecified
    }

    private var octets: [UInt8] { IPNetwork(ip)?.octets ?? [] }
    private var isUnspecified: Bool { octets.allSatisfy { $0 == 0 } }

    /// As the configuration writes it.
    package var text: String { ip.contains(":") ? "[\(ip)]:\(port)" : "\(ip):\(port)" }
}

/// An IP address and a TCP port to listen on: `127.0.0.1:8080` or `[::1]:8080`.
package struct ListenAddress: Sendable, Hashable {
    /// The address without brackets.
    package let ip: String
    /// The port; 0 lets the system choose.
    package let port: UInt16
    /// Whether only this machine can connect to it.
    package let isLoopback: Bool

    /// Parses `ADDRESS:PORT`; nil for anything else. Names are not resolved.
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

    /// Whether both are the same address and port, regardless of notation.
    func isSame(as other: ListenAddress) -> Bool {
        port == other.port && bytes == other.bytes
    }

    /// Whether a connection could match both, because one of them includes every address.
    func overlaps(_ other: ListenAddress) -> Bool {
        guard port == other.port, bytes.count == other.bytes.count else { return false }
        return bytes == other.bytes || isUnspecified || other.isUnspecified
    }

    private var bytes: [UInt8] { IPNetwork(ip)?.bytes ?? [] }
    /// Whether it means all addresses of this machine.
    package var isUnspecified: Bool { bytes.allSatisfy { $0 == 0 } }

    /// The address in the configuration's format.
    package var text: String { ip.contains(":") ? "[\(ip)]:\(port)" : "\(ip):\(port)" }
}

internal import ProxydEventLoops

/// A server that a SOCKS client wants a connection to.
struct SOCKSRequest: Equatable {
    /// The version of the protocol, which decides the form of the reply.
    enum Version {
        /// SOCKS 4 and 4a.
        case v4
        case v5
    }

    let version: Version
    /// A name as the client sent it, or an address without brackets.
    let host: String
    let port: UInt16

    static func ipv4(_ bytes: [UInt8]) -> String? {
        let bits = bytes.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return SocketAddress(ipv4: bits, port: 0).ip
    }

    static func ipv6(_ bytes: [UInt8]) -> String? {
        let halves = [bytes[..<8], bytes[8...]].map { half in
            half.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        }
        return SocketAddress(ipv6: halves[0], halves[1], port: 0).ip
    }

    /// A name of visible ASCII characters, none of which separates the parts of a URL; nil for
    /// anything else. Some clients send addresses as names.
    static func name(_ bytes: [UInt8]) -> String? {
        let text = String(decoding: bytes, as: UTF8.self)
        if let address = SocketAddress(ip: text, port: 0) { return address.ip }
        let isName = bytes.allSatisfy { byte in
            (0x21...0x7E).contains(byte) && !"/?#@:[]\\%<>\"".utf8.contains(byte)
        }
        return isName && !bytes.isEmpty ? text : nil
    }
}

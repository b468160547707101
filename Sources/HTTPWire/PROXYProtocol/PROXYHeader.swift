/// A header of the PROXY protocol (www.haproxy.org/download/3.0/doc/proxy-protocol.txt), the
/// first bytes of a connection: the addresses of the connection for which this one is made.
public struct PROXYHeader: Sendable, Hashable {
    /// The addresses; nil if the header names none, because the sender checks the receiver's health
    /// or does not know them. The connection's own addresses count then.
    public let addresses: PROXYAddresses?

    /// Creates a header.
    public init(_ addresses: PROXYAddresses?) { self.addresses = addresses }

    static let signature1 = Array("PROXY ".utf8)
    static let signature2: [UInt8] = [
        0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A,
    ]
}

/// The two forms of a PROXY header.
public enum PROXYVersion: Int, Sendable, Hashable, CaseIterable {
    /// A line of text.
    case v1 = 1
    /// Bytes.
    case v2 = 2
}

/// Why bytes are not a header of the PROXY protocol.
public enum PROXYHeaderError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The bytes start with neither of the two signatures.
    case noHeader
    /// The header is longer than 107 bytes (version 1) or 4,096 (version 2).
    case tooLong
    /// The line of version 1 does not end in CR and LF.
    case badLineEnd
    /// The parts of the header are not those of its form.
    case badForm
    /// An address is not valid.
    case badAddress
    /// A port is not a decimal number up to 65535 without leading zeros.
    case badPort
    /// The version is not 2.
    case badVersion
    /// The command is neither LOCAL nor PROXY.
    case badCommand
    /// The address family or the transport protocol is not defined.
    case badFamily
    /// The checksum is wrong.
    case badChecksum

    /// A one-line message for the user.
    public var description: String {
        switch self {
        case .noHeader: "there is no PROXY header, which this listener requires"
        case .tooLong: "the PROXY header is too long"
        case .badLineEnd: "the line of the PROXY header does not end in CR and LF"
        case .badForm: "the PROXY header does not have the parts that it should have"
        case .badAddress: "an address in the PROXY header is not valid"
        case .badPort: "a port in the PROXY header is not valid"
        case .badVersion: "the version of the PROXY header is not 2"
        case .badCommand: "the command of the PROXY header is neither LOCAL nor PROXY"
        case .badFamily: "the PROXY header has an undefined address family or protocol"
        case .badChecksum: "the checksum of the PROXY header is wrong"
        }
    }
}

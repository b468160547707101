/// A header of the PROXY protocol (www.haproxy.org/download/3.0/doc/proxy-protocol.txt), the
/// first bytes of a connection: the addresses of the connection for which this one is made.
public struct PROXYHeader: Sendable, Hashable {
    /// The addresses; nil if the header names none, because the sender checks the receiver's health
    /// or does not know them. The connection's own addresses count then.
    public let addresses: PROXYAddresses?

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
    /// Binary.
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
    case badAddress
    /// A port is not a decimal number up to 65535 without leading zeros.
    case badPort
    /// The version is not 2.
    case badVersion
    /// The command is neither LOCAL nor PROXY.
    case badCommand
    /// The address family or the transport protocol is not defined.
    case badFamily
    case badChecksum

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

/// The two ends of a connection in a PROXY header.
public struct PROXYAddresses: Sendable, Hashable {
    public struct Endpoint: Sendable, Hashable {
        public let address: InternetAddress
        public let port: UInt16

        public init(address: InternetAddress, port: UInt16) {
            self.address = address
            self.port = port
        }
    }

    /// The client that connected.
    public let source: Endpoint
    /// Where it connected to.
    public let destination: Endpoint

    public init(source: Endpoint, destination: Endpoint) {
        self.source = source
        self.destination = destination
    }
}

extension PROXYHeader {
    /// The result of reading the first bytes of a connection.
    public enum Reading: Sendable, Hashable {
        case needsMoreInput
        /// The header, and how many bytes it takes; what follows belongs to the connection.
        case header(PROXYHeader, byteCount: Int)
    }

    /// Reads the header at the start of a connection from all bytes received so far.
    public static func read(_ bytes: Span<UInt8>) throws(PROXYHeaderError) -> Reading {
        if starts(bytes, with: signature1) { return try readText(bytes) }
        if starts(bytes, with: signature2) { return try readBinary(bytes) }
        throw .noHeader
    }

    /// Whether the bytes are the beginning of a signature, or the signature and more.
    private static func starts(_ bytes: Span<UInt8>, with signature: [UInt8]) -> Bool {
        for index in 0..<min(bytes.count, signature.count)
        where bytes[index] != signature[index] {
            return false
        }
        return true
    }

    // MARK: Version 1

    /// The longest line, with its end.
    private static let lineByteCountMax = 107

    private static func readText(_ bytes: Span<UInt8>) throws(PROXYHeaderError) -> Reading {
        let count = min(bytes.count, lineByteCountMax)
        var end = 0
        while end < count, bytes[end] != 0x0A { end += 1 }
        guard end < count else {
            if bytes.count >= lineByteCountMax { throw .tooLong }
            return .needsMoreInput
        }
        guard end > 0, bytes[end - 1] == 0x0D else { throw .badLineEnd }
        let line = bytes.extracting(0..<(end - 1)).withUnsafeBufferPointer {
            String(decoding: $0, as: UTF8.self)
        }
        return .header(PROXYHeader(try addresses(inLine: line)), byteCount: end + 1)
    }

    private static func addresses(inLine line: String) throws(PROXYHeaderError) -> PROXYAddresses? {
        let parts = line.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count >= 2 else { throw .badForm }
        let isIPv6: Bool
        switch parts[1] {
        // The rest of the line has no meaning.
        case "UNKNOWN": return nil
        case "TCP4": isIPv6 = false
        case "TCP6": isIPv6 = true
        default: throw .badFamily
        }
        guard parts.count == 6, !parts.contains("") else { throw .badForm }
        return PROXYAddresses(
            source: try endpoint(parts[2], try port(parts[4]), isIPv6: isIPv6),
            destination: try endpoint(parts[3], try port(parts[5]), isIPv6: isIPv6))
    }

    private static func port(_ text: Substring) throws(PROXYHeaderError) -> UInt16 {
        let isDecimal = text.utf8.allSatisfy { (0x30...0x39).contains($0) }
        guard isDecimal, text == "0" || text.first != "0", let port = UInt16(text) else {
            throw .badPort
        }
        return port
    }

    private static func endpoint(
        _ text: Substring, _ port: UInt16, isIPv6: Bool
    ) throws(PROXYHeaderError) -> PROXYAddresses.Endpoint {
        guard let address = InternetAddress(text), address.isIPv6 == isIPv6 else {
            throw .badAddress
        }
        return PROXYAddresses.Endpoint(address: address, port: port)
    }

    // MARK: Version 2

    private static let fixedByteCount = 16
    private static let byteCountMax = 4_096

    private static func readBinary(_ bytes: Span<UInt8>) throws(PROXYHeaderError) -> Reading {
        if bytes.count > 12, bytes[12] >> 4 != 2 { throw .badVersion }
        guard bytes.count >= fixedByteCount else { return .needsMoreInput }
        let command = bytes[12] & 0x0F
        guard command <= 1 else { throw .badCommand }
        let byteCount = fixedByteCount + Int(bytes[14]) << 8 + Int(bytes[15])
        guard byteCount <= byteCountMax else { throw .tooLong }
        guard bytes.count >= byteCount else { return .needsMoreInput }
        let header = bytes.extracting(0..<byteCount)
        let isLocal = command == 0
        return .header(
            PROXYHeader(isLocal ? nil : try addresses(inHeader: header)), byteCount: byteCount)
    }

    private static func addresses(
        inHeader header: Span<UInt8>
    ) throws(PROXYHeaderError) -> PROXYAddresses? {
        let family = header[13] >> 4
        guard family <= 3, header[13] & 0x0F <= 2 else { throw .badFamily }
        let addressByteCount = [0, 12, 36, 216][Int(family)]
        let end = fixedByteCount + addressByteCount
        guard header.count >= end else { throw .badForm }
        try checkAdditions(header, from: end)
        // Addresses of datagrams and Unix sockets are not those of a TCP client.
        switch header[13] {
        case 0x11: return addresses(header, addressByteCount: 4)
        case 0x21: return addresses(header, addressByteCount: 16)
        default: return nil
        }
    }

    /// Both addresses, followed by both ports.
    private static func addresses(
        _ header: Span<UInt8>, addressByteCount count: Int
    ) -> PROXYAddresses? {
        let start = fixedByteCount
        guard let source = endpoint(header, at: start, count, portAt: start + 2 * count),
            let destination = endpoint(
                header, at: start + count, count, portAt: start + 2 * count + 2)
        else { return nil }
        return PROXYAddresses(source: source, destination: destination)
    }

    private static func endpoint(
        _ header: Span<UInt8>, at start: Int, _ count: Int, portAt: Int
    ) -> PROXYAddresses.Endpoint? {
        let bytes = (start..<(start + count)).map { header[$0] }
        return InternetAddress(bytes: bytes).map {
            PROXYAddresses.Endpoint(
                address: $0,
                port: UInt16(truncatingIfNeeded: number(header, at: portAt, byteCount: 2)))
        }
    }

    private static func number(_ bytes: Span<UInt8>, at start: Int, byteCount: Int) -> UInt64 {
        var number: UInt64 = 0
        for index in start..<(start + byteCount) { number = number << 8 | UInt64(bytes[index]) }
        return number
    }

    /// Checks the type-length-value triples after the addresses, of which only the checksum has a
    /// meaning here.
    private static func checkAdditions(
        _ header: Span<UInt8>, from start: Int
    ) throws(PROXYHeaderError) {
        var index = start
        while index < header.count {
            guard index + 3 <= header.count else { throw .badForm }
            let byteCount = Int(header[index + 1]) << 8 + Int(header[index + 2])
            let value = index + 3
            guard value + byteCount <= header.count else { throw .badForm }
            if header[index] == checksumType {
                guard byteCount == 4 else { throw .badForm }
                let written = number(header, at: value, byteCount: 4)
                guard checksum(header, zeroing: value..<(value + 4)) == written else {
                    throw .badChecksum
                }
            }
            index = value + byteCount
        }
    }

    private static let checksumType: UInt8 = 3

    /// CRC-32C of the header in which the checksum's own bytes are zero.
    private static func checksum(_ bytes: Span<UInt8>, zeroing zeroed: Range<Int>) -> UInt64 {
        var sum: UInt32 = 0xFFFF_FFFF
        for index in bytes.indices {
            sum ^= UInt32(zeroed.contains(index) ? 0 : bytes[index])
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0x82F6_3B78 : sum >> 1 }
        }
        return UInt64(~sum)
    }

    /// The bytes of the header. Addresses of different families cannot be written: the header then
    /// names none.
    public func bytes(_ version: PROXYVersion) -> [UInt8] {
        let writable = addresses.flatMap {
            $0.source.address.isIPv6 == $0.destination.address.isIPv6 ? $0 : nil
        }
        switch version {
        case .v1: return Array("PROXY \(writable.map(Self.text) ?? "UNKNOWN")\r\n".utf8)
        case .v2:
            guard let writable else { return Self.signature2 + [0x20, 0x00, 0x00, 0x00] }
            let (source, destination) = (writable.source, writable.destination)
            let block =
                source.address.bytes + destination.address.bytes + Self.bytes(source.port)
                + Self.bytes(destination.port)
            let family: UInt8 = source.address.isIPv6 ? 0x21 : 0x11
            return Self.signature2 + [0x21, family] + Self.bytes(UInt16(block.count)) + block
        }
    }

    private static func text(_ addresses: PROXYAddresses) -> String {
        let (source, destination) = (addresses.source, addresses.destination)
        let family = source.address.isIPv6 ? "TCP6" : "TCP4"
        let places = "\(text(source.address)) \(text(destination.address))"
        return "\(family) \(places) \(source.port) \(destination.port)"
    }

    /// An IPv6 address is written without `::`, which every reader must accept.
    private static func text(_ address: InternetAddress) -> String {
        let bytes = address.bytes
        guard address.isIPv6 else { return bytes.map(String.init).joined(separator: ".") }
        let groups = (0..<8).map { UInt16(bytes[2 * $0]) << 8 | UInt16(bytes[2 * $0 + 1]) }
        return groups.map { String($0, radix: 16) }.joined(separator: ":")
    }

    private static func bytes(_ number: UInt16) -> [UInt8] {
        [UInt8(number >> 8), UInt8(number & 0xFF)]
    }
}

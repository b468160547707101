/// The ClientHello of a TLS client, reduced to what matters before a certificate is chosen.
public struct ClientHello: Sendable, Hashable {
    /// The result of inspecting a connection's first bytes.
    public enum Peek: Sendable, Hashable {
        /// The start of a ClientHello: more bytes are needed.
        case needMore
        /// The bytes are not a TLS ClientHello.
        case notTLS
        /// A ClientHello that violates TLS or exceeds OpenSSL's limits: a session that receives
        /// these bytes reports the error.
        case unacceptable
        /// A complete ClientHello.
        case hello(ClientHello)
    }

    /// The requested name (RFC 6066 §3), as sent; nil if absent or not printable ASCII.
    public let serverName: String?
    /// The offered ALPN protocols (RFC 7301), in order.
    public let alpn: [String]
    /// The offered versions, such as 0x0304 for TLS 1.3, in order, including reserved values (RFC
    /// 8701).
    public let versions: [UInt16]

    /// Inspects the first bytes of a connection without consuming them.
    ///
    /// A ClientHello may be split over several records, with empty ones in between. The bytes are
    /// untrusted.
    public static func peek(_ bytes: Span<UInt8>) -> Peek {
        var reader = ClientHelloReader()
        return reader.read(bytes)
    }
}

/// Looks for a ClientHello in the first bytes of a connection as they arrive. Each byte is read
/// once, however small the pieces.
public struct ClientHelloReader: Sendable {
    private enum State {
        case gathering(HandshakeRecords)
        case done(ClientHello.Peek)
    }

    private var state = State.gathering(HandshakeRecords())

    public init() {}

    /// Inspects `bytes`, which are all bytes so far, including those of earlier calls. After any
    /// result other than `needMore`, the result does not change.
    public mutating func read(_ bytes: Span<UInt8>) -> ClientHello.Peek {
        guard case .gathering(var records) = state else { return verdict }
        state = .done(.notTLS)
        switch records.gather(bytes) {
        case .needMore: state = .gathering(records)
        case .notTLS: break
        case .unacceptable: state = .done(.unacceptable)
        case .message(let message):
            var parser = ClientHelloParser(message)
            state = .done(parser.parse().map(ClientHello.Peek.hello) ?? .unacceptable)
        }
        return verdict
    }

    /// Whether the bytes so far can still become a ClientHello.
    public var isUnderWay: Bool { verdict == .needMore }

    private var verdict: ClientHello.Peek {
        switch state {
        case .gathering: .needMore
        case .done(let peek): peek
        }
    }
}

/// Parses the body of a ClientHello (RFC 8446 §4.1.2). `VectorReader` checks every length.
struct ClientHelloParser {
    private static let randomByteCount = 32
    private static let serverNameByteCountMax = 255
    private static let serverNameExtension: UInt16 = 0
    private static let alpnExtension: UInt16 = 16
    private static let supportedVersionsExtension: UInt16 = 43

    private var reader: VectorReader
    private var serverName: String?
    private var alpn: [String] = []
    private var versions: [UInt16] = []

    init(_ body: [UInt8]) { reader = VectorReader(body[...]) }

    /// nil if the ClientHello is malformed. The parser is no stricter than OpenSSL: a ClientHello
    /// that OpenSSL accepts must not be forwarded as an unknown protocol.
    mutating func parse() -> ClientHello? {
        guard let legacyVersion = reader.uint16(),
            reader.bytes(Self.randomByteCount) != nil,
            let sessionID = reader.vector8(), sessionID.count <= 32,
            let ciphers = reader.vector16(), !ciphers.isEmpty, ciphers.count % 2 == 0,
            let compressions = reader.vector8(), !compressions.isEmpty
        else { return nil }
        versions = [legacyVersion]
        // Before TLS 1.3 a hello could end here.
        if !reader.isAtEnd {
            guard let extensions = reader.vector16(), reader.isAtEnd,
                parseExtensions(extensions)
            else { return nil }
        }
        return ClientHello(serverName: serverName, alpn: alpn, versions: versions)
    }

    private mutating func parseExtensions(_ bytes: ArraySlice<UInt8>) -> Bool {
        var list = VectorReader(bytes)
        while !list.isAtEnd {
            guard let type = list.uint16(), let content = list.vector16() else { return false }
            let isGood =
                switch type {
                case Self.serverNameExtension: parseServerName(content)
                case Self.alpnExtension: parseProtocols(content)
                case Self.supportedVersionsExtension: parseVersions(content)
                default: true
                }
            guard isGood else { return false }
        }
        return true
    }

    private mutating func parseServerName(_ bytes: ArraySlice<UInt8>) -> Bool {
        var outer = VectorReader(bytes)
        guard let names = outer.vector16(), outer.isAtEnd else { return false }
        var list = VectorReader(names)
        while !list.isAtEnd {
            guard let type = list.uint8(), let name = list.vector16() else { return false }
            if type == 0, serverName == nil { serverName = Self.hostName(name) }
        }
        return true
    }

    private static func hostName(_ bytes: ArraySlice<UInt8>) -> String? {
        guard (1...serverNameByteCountMax).contains(bytes.count),
            bytes.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    private mutating func parseProtocols(_ bytes: ArraySlice<UInt8>) -> Bool {
        var outer = VectorReader(bytes)
        guard let names = outer.vector16(), outer.isAtEnd else { return false }
        var list = VectorReader(names)
        alpn = []
        while !list.isAtEnd {
            guard let name = list.vector8(), !name.isEmpty else { return false }
            alpn.append(String(decoding: name, as: UTF8.self))
        }
        return true
    }

    private mutating func parseVersions(_ bytes: ArraySlice<UInt8>) -> Bool {
        var outer = VectorReader(bytes)
        guard let content = outer.vector8(), outer.isAtEnd else { return false }
        var list = VectorReader(content)
        versions = []
        while !list.isAtEnd {
            guard let version = list.uint16() else { return false }
            versions.append(version)
        }
        return !versions.isEmpty
    }
}

/// Reads numbers and vectors with length prefixes (RFC 8446 §3) from untrusted bytes: every read
/// returns nil if there are too few.
struct VectorReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func uint8() -> UInt8? { rest.popFirst() }

    mutating func uint16() -> UInt16? {
        guard let pair = bytes(2), let high = pair.first, let low = pair.last else { return nil }
        return UInt16(high) << 8 | UInt16(low)
    }

    mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    /// A vector with a length of one byte.
    mutating func vector8() -> ArraySlice<UInt8>? { uint8().flatMap { bytes(Int($0)) } }

    /// A vector with a length of two bytes.
    mutating func vector16() -> ArraySlice<UInt8>? { uint16().flatMap { bytes(Int($0)) } }
}

/// Extracts the first handshake message from a stream of records (RFC 8446 §5.1). The limits are
/// OpenSSL's: it accepts what OpenSSL accepts.
struct HandshakeRecords {
    enum Result {
        case needMore
        case notTLS
        case unacceptable
        /// The body of a client hello, without its header.
        case message([UInt8])
    }

    private static let recordHeaderByteCount = 5
    private static let messageHeaderByteCount = 4
    private static let recordByteCountMax = 16_384
    /// OpenSSL's maximum size of a ClientHello (`CLIENT_HELLO_MAX_LENGTH`).
    private static let messageByteCountMax = 131_396
    /// OpenSSL's maximum number of consecutive empty records (`MAX_EMPTY_RECORDS`).
    private static let emptyRecordCountMax = 32
    private static let handshakeRecord: UInt8 = 22
    private static let clientHello: UInt8 = 1

    private var message: [UInt8] = []
    private var offset = 0
    private var recordRestByteCount = 0
    private var emptyRecordCount = 0

    /// Gathers the message from `bytes`: all bytes of the connection so far, including those of
    /// earlier calls, which are not read again.
    mutating func gather(_ bytes: Span<UInt8>) -> Result {
        while offset < bytes.count {
            if recordRestByteCount > 0 {
                let end = offset + min(recordRestByteCount, bytes.count - offset)
                for index in offset..<end { message.append(bytes[index]) }
                recordRestByteCount -= end - offset
                offset = end
                if let result = messageResult() { return result }
                continue
            }
            guard isPlausibleHeader(bytes) else { return offset == 0 ? .notTLS : .unacceptable }
            guard offset + Self.recordHeaderByteCount <= bytes.count else { return .needMore }
            let count = Int(bytes[offset + 3]) << 8 | Int(bytes[offset + 4])
            guard count <= Self.recordByteCountMax else {
                return offset == 0 ? .notTLS : .unacceptable
            }
            offset += Self.recordHeaderByteCount
            recordRestByteCount = count
            emptyRecordCount = count == 0 ? emptyRecordCount + 1 : 0
            guard emptyRecordCount <= Self.emptyRecordCountMax else { return .unacceptable }
        }
        return .needMore
    }

    /// Checks the available bytes of a record header. The minor version is ignored, as RFC 8446
    /// §5.1 requires.
    private func isPlausibleHeader(_ bytes: Span<UInt8>) -> Bool {
        guard bytes[offset] == Self.handshakeRecord else { return false }
        return offset + 1 >= bytes.count || bytes[offset + 1] == 3
    }

    /// nil while the message is incomplete and may still be a ClientHello.
    private func messageResult() -> Result? {
        guard let type = message.first else { return nil }
        guard type == Self.clientHello else { return .notTLS }
        guard message.count >= Self.messageHeaderByteCount else { return nil }
        let count = Int(message[1]) << 16 | Int(message[2]) << 8 | Int(message[3])
        guard count <= Self.messageByteCountMax else { return .unacceptable }
        guard message.count >= Self.messageHeaderByteCount + count else { return nil }
        let body = Self.messageHeaderByteCount..<Self.messageHeaderByteCount + count
        return .message([UInt8](message[body]))
    }
}

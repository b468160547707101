/// Parses the body of a ClientHello (RFC 8446 §4.1.2). `ByteReader` checks every length.
struct ClientHelloParser {
    private static let randomByteCount = 32
    private static let serverNameByteCountMax = 255
    private static let serverNameExtension: UInt16 = 0
    private static let alpnExtension: UInt16 = 16
    private static let supportedVersionsExtension: UInt16 = 43

    private var reader: ByteReader
    private var serverName: String?
    private var alpn: [String] = []
    private var versions: [UInt16] = []

    init(_ body: [UInt8]) {
        reader = ByteReader(body[...])
    }

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
        var list = ByteReader(bytes)
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
        var outer = ByteReader(bytes)
        guard let names = outer.vector16(), outer.isAtEnd else { return false }
        var list = ByteReader(names)
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
        var outer = ByteReader(bytes)
        guard let names = outer.vector16(), outer.isAtEnd else { return false }
        var list = ByteReader(names)
        alpn = []
        while !list.isAtEnd {
            guard let name = list.vector8(), !name.isEmpty else { return false }
            alpn.append(String(decoding: name, as: UTF8.self))
        }
        return true
    }

    private mutating func parseVersions(_ bytes: ArraySlice<UInt8>) -> Bool {
        var outer = ByteReader(bytes)
        guard let content = outer.vector8(), outer.isAtEnd else { return false }
        var list = ByteReader(content)
        versions = []
        while !list.isAtEnd {
            guard let version = list.uint16() else { return false }
            versions.append(version)
        }
        return !versions.isEmpty
    }
}

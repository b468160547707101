public import ProxydHTTPModel

/// The extensions agreed on in an opening handshake (RFC 6455 §9.1, RFC 7692 §5).
public struct WebSocketAgreement: Sendable, Hashable {
    /// The parameters of permessage-deflate, or nil if messages are not compressed.
    public var deflate: PermessageDeflate?
    /// Whether other extensions were agreed on, which may change frames in unknown ways.
    public var hasOtherExtensions: Bool

    public init(deflate: PermessageDeflate? = nil, hasOtherExtensions: Bool = false) {
        self.deflate = deflate
        self.hasOtherExtensions = hasOtherExtensions
    }

    /// Why a response's extensions cannot be accepted. A client must fail the connection.
    public enum Fault: Error, Sendable, Hashable {
        /// A line of the response does not match the grammar.
        case malformed
        case notOffered
        /// The response names permessage-deflate twice or with invalid parameters.
        case unacceptable
    }

    /// Determines what the server's response agrees to.
    /// - Parameters:
    ///   - request: the fields of the client's handshake, with its offers.
    ///   - response: the fields of the server's handshake.
    public init(request: HeaderFields, response: HeaderFields) throws(Fault) {
        self.init()
        guard let chosen = WebSocketExtension.list(in: response) else { throw .malformed }
        guard !chosen.isEmpty else { return }
        let offered = WebSocketExtension.list(in: request) ?? []
        for element in chosen {
            guard offered.contains(where: { $0.name == element.name }) else { throw .notOffered }
            guard element.name == PermessageDeflate.name else {
                hasOtherExtensions = true
                continue
            }
            guard deflate == nil, let found = PermessageDeflate(response: element),
                offered.contains(where: { PermessageDeflateOffer($0)?.allows(found) == true })
            else { throw .unacceptable }
            deflate = found
        }
    }
}

extension WebSocketAgreement.Fault: CustomStringConvertible {
    /// A message for the user that names the section of the RFC.
    public var description: String {
        switch self {
        case .malformed: "Sec-WebSocket-Extensions cannot be read (RFC 6455 §9.1)"
        case .notOffered: "the server chose an extension that was not offered (RFC 6455 §4.1)"
        case .unacceptable:
            "the server chose permessage-deflate as it was not offered (RFC 7692 §7.1)"
        }
    }
}

/// One element of Sec-WebSocket-Extensions (RFC 6455 §9.1): an extension and its parameters, as
/// written.
public struct WebSocketExtension: Sendable, Hashable {
    /// A parameter, with or without a value.
    public struct Parameter: Sendable, Hashable {
        /// The parameter's name, a token.
        public let name: String
        /// The parameter's value: a token, without any quotation marks.
        public let value: String?
    }

    /// The extension's name, a token.
    public let name: String
    /// The parameters in the order in which they were written.
    public let parameters: [Parameter]

    /// Returns the elements of all lines in order, or nil if a line does not match the grammar.
    public static func list(in fields: HeaderFields) -> [WebSocketExtension]? {
        var extensions: [WebSocketExtension] = []
        for value in fields.values(named: "Sec-WebSocket-Extensions") {
            var parser = Parser(value)
            guard let more = parser.list() else { return nil }
            extensions += more
        }
        return extensions
    }
}

/// Parses one line (RFC 6455 §9.1, with RFC 9110 §5.6.1's tolerance for empty elements).
private struct Parser {
    private let bytes: [UInt8]
    private var index = 0

    init(_ value: String) { bytes = Array(value.utf8) }

    mutating func list() -> [WebSocketExtension]? {
        var extensions: [WebSocketExtension] = []
        repeat {
            skipBlanks()
            if next == 0x2C || next == nil { continue }
            guard let found = element() else { return nil }
            extensions.append(found)
        } while take(0x2C)
        return next == nil ? extensions : nil
    }

    private mutating func element() -> WebSocketExtension? {
        guard let name = token() else { return nil }
        var parameters: [WebSocketExtension.Parameter] = []
        while take(0x3B) {
            skipBlanks()
            guard let name = token() else { return nil }
            var value: String?
            if take(0x3D) {
                skipBlanks()
                value = next == 0x22 ? quotedToken() : token()
                guard value != nil else { return nil }
            }
            parameters.append(.init(name: name, value: value))
        }
        return WebSocketExtension(name: name, parameters: parameters)
    }

    private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    /// Skips white space and the given byte; returns false if a different byte follows.
    private mutating func take(_ byte: UInt8) -> Bool {
        skipBlanks()
        guard next == byte else { return false }
        index &+= 1
        return true
    }

    private mutating func skipBlanks() {
        while next == 0x20 || next == 0x09 { index &+= 1 }
    }

    private mutating func token() -> String? {
        let end = ByteScan.endOfToken(bytes.span, from: index)
        guard end > index else { return nil }
        defer { index = end }
        return String(decoding: bytes[index..<end], as: UTF8.self)
    }

    /// Parses a quoted string, which must be a token after its escapes are removed (RFC 6455 §9.1).
    private mutating func quotedToken() -> String? {
        index &+= 1
        var text: [UInt8] = []
        while let byte = next, byte != 0x22 {
            if byte == 0x5C { index &+= 1 }
            guard let plain = next, ByteClass.isToken(plain) else { return nil }
            text.append(plain)
            index &+= 1
        }
        guard next == 0x22, !text.isEmpty else { return nil }
        index &+= 1
        return String(decoding: text, as: UTF8.self)
    }
}

/// The server's proof that it supports WebSocket (RFC 6455 §4.2.2).
public enum WebSocketHandshake {
    /// The version that clients of RFC 6455 send in Sec-WebSocket-Version.
    public static let version = "13"

    /// Returns the input for Sec-WebSocket-Accept: the field's value is the Base64-encoded SHA-1
    /// digest of these bytes.
    /// - Parameter key: the value of Sec-WebSocket-Key, as received.
    public static func acceptInput(key: String) -> [UInt8] {
        Array(key.utf8) + Array("258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8)
    }
}

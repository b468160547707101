public import ProxydHTTPModel

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

internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import FoundationEssentials

/// A name and a password that a client sent. Its descriptions do not contain the password.
public struct ClientCredentials: Sendable, Hashable, CustomStringConvertible,
    CustomDebugStringConvertible
{
    public let user: [UInt8]
    public let password: [UInt8]

    public init(user: [UInt8], password: [UInt8]) {
        self.user = user
        self.password = password
    }

    public var name: String { String(decoding: user, as: UTF8.self) }

    public var description: String { "ClientCredentials(user: \(name))" }

    /// The same, because debug descriptions end up in logs too.
    public var debugDescription: String { description }
}

extension ClientCredentials {
    /// Reads the Proxy-Authorization of a request (RFC 7617 §2); nil unless there is exactly one
    /// and it is a name and a password. The password may contain colons.
    init?(proxyAuthorizationOf head: borrowing RequestHead) {
        let lines = head.fields.lines.filter { $0.name == .proxyAuthorization }
        guard lines.count == 1, let line = lines.first else { return nil }
        self.init(basic: head.fields.bytes[line.valueRange])
    }

    /// Reads `Basic …`, with the scheme in any case.
    private init?(basic value: ArraySlice<UInt8>) {
        let scheme = value.prefix { $0 != 0x20 }
        guard ASCII.equalsIgnoringCase(scheme.span, "basic") else { return nil }
        let token = value.dropFirst(scheme.count).drop { $0 == 0x20 }
        var text = String(decoding: token, as: UTF8.self)
        // Some clients leave out the padding.
        while text.utf8.count % 4 != 0, text.utf8.count % 4 != 1 { text += "=" }
        guard !token.isEmpty, let bytes = Data(base64Encoded: text).map({ [UInt8]($0) }),
            let colon = bytes.firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        self.init(user: Array(bytes[..<colon]), password: Array(bytes[(colon + 1)...]))
    }
}

/// Hides passwords for proxies before anything is recorded, acted on or forwarded: those for this
/// one, and in tunnels and at reverse listeners those for another, which are not forwarded either.
enum HiddenCredentials {
    static let placeholder = Array("REDACTED".utf8)
    /// The schemes that authenticate a connection, which must be known.
    private static let connectionSchemes = ["NTLM ", "Negotiate "]

    /// What replaces a value: the placeholder, after the scheme if that matters for the connection.
    static func placeholder(for value: ArraySlice<UInt8>) -> [UInt8] {
        let text = String(decoding: value.prefix(10), as: UTF8.self).lowercased()
        let scheme = connectionSchemes.first { text.hasPrefix($0.lowercased()) }
        return Array((scheme ?? "").utf8) + placeholder
    }

    private static let name = Array("proxy-authorization".utf8)

    /// The bytes of a head that could not be parsed, with what follows the field's name hidden up
    /// to the end of the line and of those that continue it.
    static func hidden(in bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        var rest = bytes[...]
        while let start = firstName(in: rest) {
            let valueStart = start + name.count
            output += rest[..<valueStart]
            let end = lineEnd(in: rest[valueStart...])
            if end > valueStart { output += [UInt8(ascii: ":"), 0x20] + placeholder }
            rest = rest[end...]
        }
        return output + rest
    }

    private static func firstName(in bytes: ArraySlice<UInt8>) -> Int? {
        guard bytes.count >= name.count else { return nil }
        return (bytes.startIndex...(bytes.endIndex - name.count)).first { start in
            ASCII.equalsIgnoringCase(
                bytes[start..<(start + name.count)].span, "proxy-authorization")
        }
    }

    /// The end of the line, without its line break, or of the last line that continues it.
    private static func lineEnd(in bytes: ArraySlice<UInt8>) -> Int {
        var position = bytes.startIndex
        while let feed = bytes[position...].firstIndex(of: 0x0A) {
            let next = feed + 1
            guard next < bytes.endIndex, bytes[next] == 0x20 || bytes[next] == 0x09 else {
                let hasReturn = feed > bytes.startIndex && bytes[feed - 1] == 0x0D
                return hasReturn ? feed - 1 : feed
            }
            position = next
        }
        return bytes.endIndex
    }
}

extension HeaderFields {
    var hasProxyCredentials: Bool { first(.proxyAuthorization) != nil }

    /// The fields of a head or of trailers with the value of Proxy-Authorization hidden.
    var withoutProxyCredentials: HeaderFields {
        var hidden = self
        for position in positions(named: "Proxy-Authorization") {
            let value = bytes[lines[position].valueRange]
            hidden.setValue(HiddenCredentials.placeholder(for: value), ofLineAt: position)
        }
        return hidden
    }
}

extension RequestHead {
    var withoutProxyCredentials: RequestHead {
        fields.hasProxyCredentials ? changed(fields: fields.withoutProxyCredentials) : self
    }
}

extension MalformedMessage {
    var fieldsWithoutProxyCredentials: [UInt8] {
        var output: [UInt8] = []
        for (name, value) in FieldList.pairs(fields) {
            let isSecret = ASCII.equalsIgnoringCase(name.span, "proxy-authorization")
            let shown = isSecret ? HiddenCredentials.placeholder : Array(value)
            FieldList.append(name: name.span, value: shown.span, to: &output)
        }
        return output
    }
}

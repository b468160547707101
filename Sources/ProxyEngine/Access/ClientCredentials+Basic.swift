internal import FoundationEssentials
internal import ProxydHTTPModel

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

internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// Parses a proxy in the format of environment variables.
enum ProxyServerReader {
    static func read(_ text: String) throws(ProxySettingsError) -> ProxyServer {
        var rest = text[...]
        var kind = ProxyServer.Kind.http
        if let end = text.firstRange(of: "://") {
            let scheme = String(
                decoding: text[..<end.lowerBound].utf8.map(ASCII.lowercased), as: UTF8.self)
            // Most programs treat `socks` and `socks5` the same.
            let name = scheme == "socks" ? "socks5" : scheme
            guard let known = ProxyServer.Kind(rawValue: name) else { throw .unsupportedScheme }
            kind = known
            rest = text[end.upperBound...]
        }
        var credential: Credential?
        if let at = rest.lastIndex(of: "@") {
            credential = self.credential(rest[..<at])
            rest = rest[rest.index(after: at)...]
        }
        if rest.last == "/" { rest = rest.dropLast() }
        guard !rest.contains(where: { "/?#".contains($0) }) else { throw .unexpectedPath }
        let (host, port) = try hostAndPort(rest)
        return ProxyServer(kind, host: host, port: port, credential: credential)
    }

    private static func credential(_ text: Substring) -> Credential {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        return .password(
            user: decoded(parts[0]), password: parts.count > 1 ? decoded(parts[1]) : "")
    }

    private static func hostAndPort(
        _ text: Substring
    ) throws(ProxySettingsError) -> (String, UInt16?) {
        var hostEnd = text.lastIndex(of: ":") ?? text.endIndex
        var host = text[..<hostEnd]
        if text.first == "[" {
            guard let close = text.firstIndex(of: "]") else { throw .badHost }
            host = text[text.index(after: text.startIndex)..<close]
            hostEnd = text.index(after: close)
            guard InternetAddress(String(host))?.bytes.count == 16 else { throw .badHost }
        } else {
            guard host.utf8.allSatisfy(isNameByte) else { throw .badHost }
        }
        guard !host.isEmpty, host.utf8.count <= 255 else { throw .badHost }
        let tail = text[hostEnd...]
        guard tail.first == ":" || tail.isEmpty else { throw .badHost }
        let digits = tail.dropFirst()
        guard !digits.isEmpty else { return (String(host), nil) }
        guard digits.utf8.allSatisfy({ $0 &- 0x30 < 10 }), let port = UInt16(digits), port > 0
        else { throw .badPort }
        return (String(host), port)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        ASCII.lowercased(byte) &- 0x61 < 26 || byte &- 0x30 < 10 || "-._~".utf8.contains(byte)
    }

    /// The text percent-decoded; invalid escapes are left unchanged.
    private static func decoded(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2).compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
            if byte == UInt8(ascii: "%"), digits.count == 2 {
                bytes.append(UInt8(truncatingIfNeeded: digits[0] << 4 | digits[1]))
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return ASCII.text(bytes)
    }
}

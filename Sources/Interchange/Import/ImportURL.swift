internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydParameterCoding

/// Parses URLs as other programs write them into `RawURL`s.
enum ImportURL {
    /// Parses a request URL: http or https (`ws` and `wss` are mapped to these), and `tunnel` for a
    /// CONNECT. Characters that are invalid in a URL are percent-encoded; a fragment and user
    /// information are removed, since they were not sent.
    static func parse(
        _ text: String, method: HTTPMethod
    ) throws(ImportProblem) -> RawURL {
        var bytes = EscapeSet.visible.encoded(Array(withHostInASCII(text).utf8))
        if let mark = bytes.firstIndex(of: UInt8(ascii: "#")) { bytes.removeSubrange(mark...) }
        var schemes = [("ws://", "http://"), ("wss://", "https://")]
        if method == .connect { schemes.append(("tunnel://", "http://")) }
        for (from, to) in schemes
        where String(decoding: bytes.prefix(9), as: UTF8.self).lowercased().hasPrefix(from) {
            bytes.replaceSubrange(..<from.utf8.count, with: Array(to.utf8))
        }
        dropUser(&bytes)
        // Uses the wire parser, so that only URLs that can be sent are imported.
        let line = Array("\(method == .options ? "OPTIONS" : "GET") ".utf8)
        let head = try? HeadParser.parseRequestHead(
            line + bytes + Array(" HTTP/1.0\r\n\r\n".utf8), limits: .captured)
        guard let head, case .forward(let url)? = try? EffectiveTarget.resolve(head, via: .proxy)
        else { throw ImportProblem("its URL is not an http or https one") }
        guard method == .connect else { return url }
        return .tunnel(host: url.host, port: url.port)
    }

    /// Adds `http://` to a URL without a scheme, as Insomnia does when it sends the request.
    static func withScheme(_ text: String) -> String {
        guard !text.contains("://") else { return text }
        let authority = text.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
        guard let host = parts.first, parts.count <= 2, host == "localhost" || host.contains("."),
            parts.count == 1 || UInt16(parts[1]) != nil
        else { return text }
        return "http://\(text)"
    }

    /// A URL whose host is in another alphabet, as clients send it.
    private static func withHostInASCII(_ text: String) -> String {
        guard let start = text.firstRange(of: "://")?.upperBound else { return text }
        let authority = text[start...].prefix { !"/?#\\".contains($0) }
        let hostStart = authority.lastIndex(of: "@").map(authority.index(after:)) ?? start
        let host = authority[hostStart...].prefix { $0 != ":" }
        guard !host.utf8.allSatisfy({ $0 < 0x80 }), let name = InternationalName.ascii(String(host))
        else { return text }
        return text[..<host.startIndex] + name + text[host.endIndex...]
    }

    private static func dropUser(_ bytes: inout [UInt8]) {
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            bytes[colon...].starts(with: "://".utf8)
        else { return }
        let start = colon + 3
        let ends = Array("/?".utf8)
        let end = bytes[start...].firstIndex(where: ends.contains) ?? bytes.endIndex
        if let at = bytes[start..<end].lastIndex(of: UInt8(ascii: "@")) {
            bytes.removeSubrange(start...at)
        }
    }
}

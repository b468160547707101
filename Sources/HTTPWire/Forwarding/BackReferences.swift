public import ProxydHTTPModel

/// Replaces references to a server in its responses by references to the reverse proxy that takes
/// its place: in Location, Content-Location, Refresh, and the attributes Domain and Path of
/// Set-Cookie. Bodies are never changed.
public struct BackReferences: Sendable {
    private let server: ReplacedServer
    private let scheme: String
    /// Has the host and the port in its Host field or `:authority`.
    private let request: RequestHead
    private let address: String

    /// - Parameters:
    ///   - server: the server that is named in the responses.
    ///   - scheme: the scheme that the client uses, `http` or `https`.
    ///   - request: names the host and the port that the client uses.
    ///   - address: the host and the port if the request names none.
    public init(to server: ReplacedServer, scheme: String, request: RequestHead, address: String) {
        self.server = server
        self.scheme = scheme
        self.request = request
        self.address = address
    }

    /// The host and the port that the client uses.
    private var authority: String {
        let line = request.pseudoField(":authority") ?? request.fields.first(.host)
        guard let line, line.valueRange.count > 0 else { return address }
        return String(decoding: request.bytes[line.valueRange], as: UTF8.self)
    }

    /// Returns the head with replaced references, or nil if it has none.
    public func replaced(in head: ResponseHead) -> ResponseHead? {
        var fields = head.fields
        var isChanged = false
        for position in head.fields.lines.indices {
            let line = head.fields.lines[position]
            let name = head.fields.bytes.span.extracting(line.nameRange)
            guard let kind = Kind(name) else { continue }
            let value = String(decoding: head.fields.bytes[line.valueRange], as: UTF8.self)
            // A value that is not UTF-8 is not understood, and must not be changed.
            guard value.utf8.elementsEqual(head.fields.bytes[line.valueRange]),
                let replacement = replacement(of: value, kind), replacement != value
            else { continue }
            fields.setValue(Array(replacement.utf8), ofLineAt: position)
            isChanged = true
        }
        return isChanged ? head.changed(fields: fields) : nil
    }

    private enum Kind {
        case location
        case refresh
        case cookie

        init?(_ name: Span<UInt8>) {
            // Most fields have names of other lengths.
            switch name.count {
            case 8 where ASCII.equalsIgnoringCase(name, "location"): self = .location
            case 16 where ASCII.equalsIgnoringCase(name, "content-location"): self = .location
            case 7 where ASCII.equalsIgnoringCase(name, "refresh"): self = .refresh
            case 10 where ASCII.equalsIgnoringCase(name, "set-cookie"): self = .cookie
            default: return nil
            }
        }
    }

    private func replacement(of value: String, _ kind: Kind) -> String? {
        switch kind {
        case .location: reference(value[...])
        case .refresh: refresh(value)
        case .cookie: cookie(value)
        }
    }

    // MARK: URLs

    /// Returns the reference as the client must see it; nil if it does not lead to the server, or
    /// to a part of it that clients cannot reach.
    private func reference(_ text: Substring) -> String? {
        if text.hasPrefix("//") {
            return reference(text, scheme: server.scheme, writesScheme: false)
        }
        if text.hasPrefix("/") { return path(text).map(pathOnly) }
        guard let mark = text.firstRange(of: "://") else { return nil }
        let written = text[..<mark.lowerBound].lowercased()
        guard written == server.scheme else { return nil }
        // What follows starts with the two slashes.
        let rest = text[text.index(after: mark.lowerBound)...]
        return reference(rest, scheme: written, writesScheme: true)
    }

    /// `rest` is `//authority` and what follows.
    private func reference(
        _ rest: Substring, scheme written: String, writesScheme: Bool
    ) -> String? {
        let start = rest.index(rest.startIndex, offsetBy: 2)
        let end = rest[start...].firstIndex { "/?#".contains($0) } ?? rest.endIndex
        let named = Array(rest[start..<end].utf8)
        guard
            Authority.means(
                named.span, host: server.host, port: server.port,
                defaultPort: RawURL.defaultPort(scheme: written)),
            let path = path(rest[end...])
        else { return nil }
        return (writesScheme ? scheme + "://" : "//") + authority + path
    }

    /// Returns a path without the server's prefix; nil if it does not start with the prefix.
    private func path(_ text: Substring) -> String? {
        let prefix = String(decoding: server.prefix, as: UTF8.self)
        guard !prefix.isEmpty else { return String(text) }
        guard text.hasPrefix(prefix) else { return nil }
        let rest = text.dropFirst(prefix.count)
        guard let next = rest.first else { return "/" }
        if next == "/" { return String(rest) }
        return "?#".contains(next) ? "/" + rest : nil
    }

    /// Prevents a path from being read as a reference to another server, as `//server` would be:
    /// `/.` before it changes nothing else (RFC 3986 §6.2.2.3). Browsers ignore tabs, and read
    /// backslashes as slashes.
    private func pathOnly(_ path: String) -> String {
        let second = path.dropFirst().first { $0 != "\t" }
        return second == "/" || second == "\\" ? "/." + path : path
    }

    /// `5; url=https://…`: the reference may be in quotes.
    private func refresh(_ value: String) -> String? {
        guard let semicolon = value.firstIndex(where: { ";,".contains($0) }) else { return nil }
        var start = value.index(after: semicolon)
        while start < value.endIndex, value[start] == " " { start = value.index(after: start) }
        let rest = value[start...]
        let label = rest.prefix(3)
        guard label.lowercased() == "url" else { return nil }
        let parts = rest.dropFirst(3).drop { $0 == " " }
        guard parts.first == "=" else { return nil }
        var url = parts.dropFirst().drop { $0 == " " }
        var quote = ""
        if let first = url.first, "'\"".contains(first) {
            quote = String(first)
            url = url.dropFirst().prefix { $0 != first }
        }
        guard let replaced = reference(url) else { return nil }
        return value[..<url.startIndex] + replaced + (quote.isEmpty ? "" : value[url.endIndex...])
    }

    // MARK: Cookies

    private func cookie(_ value: String) -> String? {
        let parts = value.split(separator: ";", omittingEmptySubsequences: false)
        var result: [String] = []
        for (index, part) in parts.enumerated() {
            guard index > 0, let equals = part.firstIndex(of: "=") else {
                result.append(String(part))
                continue
            }
            let name = part[..<equals].trimmed.lowercased()
            let content = part[part.index(after: equals)...].trimmed
            switch name {
            case "domain" where isServer(domain: content):
                if let own = ownDomain { result.append(part[...equals] + own) }
            case "path": result.append(path(content).map { part[...equals] + $0 } ?? String(part))
            default: result.append(String(part))
            }
        }
        return result.joined(separator: ";")
    }

    /// Whether cookies with this Domain belong to the server (RFC 6265 §5.1.3).
    private func isServer(domain: Substring) -> Bool {
        let wanted = HostName.canonical(String(domain.first == "." ? domain.dropFirst() : domain))
        let host = HostName.canonical(server.host)
        return !wanted.isEmpty && (host == wanted || host.hasSuffix("." + wanted))
    }

    /// The host under which the client knows the proxy, as a Domain; nil if it cannot be one:
    /// cookies then belong to the host that the client has asked. Browsers ignore a Domain without
    /// a dot, and IPv6 addresses.
    private var ownDomain: String? {
        let text = authority
        guard !text.hasPrefix("[") else { return nil }
        let host = text.prefix { $0 != ":" }
        return host.contains(".") ? String(host) : nil
    }
}

extension Substring {
    /// The text without spaces and tabs at both ends.
    fileprivate var trimmed: Substring {
        var text = drop { " \t".contains($0) }
        while let last = text.last, " \t".contains(last) { text.removeLast() }
        return text
    }
}

public import ProxydHTTPModel

/// Replaces a client's references to a reverse proxy in requests by references to the server whose
/// place it takes: in Destination, the Resource-Tags of If (RFC 4918 §10.3, §10.4), Origin and
/// Referer.
///
/// Only what names the scheme, the host and the port that the client itself uses is replaced, and
/// only if that host is known to be the listener's: an address, one of its configured names, or a
/// name that no one can register. All else is forwarded byte for byte, so that the server still
/// sees what is foreign: its protection against forged requests relies on Origin and Referer, also
/// where a stranger's name leads to the listener (DNS rebinding).
public struct RequestReferences: Sendable {
    private let server: ReplacedServer
    /// `scheme://host:port` of the server.
    private let origin: [UInt8]
    private let scheme: String
    private let address: String

    /// - Parameters:
    ///   - server: the server that gets the requests.
    ///   - host: the host, with or without port, that it gets in Host; nil for its own.
    ///   - scheme: the scheme that the client uses, `http` or `https`.
    ///   - address: the host and the port that the client uses if a request names none.
    public init(to server: ReplacedServer, host: String?, scheme: String, address: String) {
        let own = RawURL(scheme: server.scheme, host: server.host, port: server.port, origin: [])
        self.server = server
        self.scheme = scheme
        self.address = address
        origin = Array("\(server.scheme)://\(host ?? own.authority)".utf8)
    }

    /// Returns the head with replaced references, or nil if it has none.
    public func replaced(in head: RequestHead) -> RequestHead? {
        var changed: HeaderFields?
        for position in head.fields.lines.indices {
            let line = head.fields.lines[position]
            guard let kind = Kind(head.fields.bytes.span.extracting(line.nameRange)),
                let value = replacement(of: head.fields.bytes[line.valueRange], kind, in: head)
            else { continue }
            changed = changed ?? head.fields
            changed?.setValue(value, ofLineAt: position)
        }
        return changed.map { head.changed(fields: $0) }
    }

    private enum Kind {
        case destination
        case condition
        case origin
        case referer

        init?(_ name: Span<UInt8>) {
            // Most fields have names of other lengths.
            switch name.count {
            case 2 where ASCII.equalsIgnoringCase(name, "if"): self = .condition
            case 6 where ASCII.equalsIgnoringCase(name, "origin"): self = .origin
            case 7 where ASCII.equalsIgnoringCase(name, "referer"): self = .referer
            case 11 where ASCII.equalsIgnoringCase(name, "destination"): self = .destination
            default: return nil
            }
        }
    }

    /// The new value, or nil if it stays.
    private func replacement(
        of value: ArraySlice<UInt8>, _ kind: Kind, in head: RequestHead
    ) -> [UInt8]? {
        switch kind {
        case .origin: tail(of: value, in: head)?.isEmpty == true ? origin : nil
        case .referer: tail(of: value, in: head).map { origin + path($0) }
        case .destination: reference(value, in: head)
        case .condition: condition(value, in: head)
        }
    }

    /// What follows the origin in a URL that leads to the proxy; nil if the URL does not, or is not
    /// valid.
    private func tail(of url: ArraySlice<UInt8>, in head: RequestHead) -> ArraySlice<UInt8>? {
        let start = Array("\(scheme)://".utf8)
        let own = Array((head.authority ?? address).utf8)
        let usual = RawURL.defaultPort(scheme: scheme)
        let rest = url.dropFirst(start.count)
        let end = rest.firstIndex { "/?#".utf8.contains($0) } ?? rest.endIndex
        let named = rest[..<end]
        let written = url.prefix(start.count)
        guard ASCII.equalsIgnoringCase(written.span, start.span),
            url.allSatisfy({ $0 > 0x20 && $0 != 0x7F }),
            Authority.isSame(named.span, own.span, defaultPort: usual), isOwnHost(own)
        else { return nil }
        return rest[end...]
    }

    private func isOwnHost(_ authority: [UInt8]) -> Bool {
        guard let name = try? Authority(authority.span).host.lowercased() else { return false }
        if InternetAddress(name) != nil || server.names.contains(where: { $0.lowercased() == name })
        {
            return true
        }
        let labels = name.split(separator: ".")
        guard labels.count > 1, let last = labels.last else { return true }
        return RequestReferences.privateDomains.contains(String(last))
            || name.hasSuffix(".home.arpa")
    }

    /// Top-level domains without public names (RFC 6761 §6.2, §6.3; RFC 6762 §3; ICANN's
    /// `internal`).
    private static let privateDomains: Set<String> = ["localhost", "local", "internal", "test"]

    /// What follows the origin, as the server must see it.
    private func path(_ tail: ArraySlice<UInt8>) -> [UInt8] {
        if server.prefix.isEmpty { return Array(tail) }
        let slash: [UInt8] = tail.first == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")]
        return server.prefix + slash + tail
    }

    /// A Simple-ref (RFC 4918 §8.3): a URL, or a path on the same server.
    private func reference(_ value: ArraySlice<UInt8>, in head: RequestHead) -> [UInt8]? {
        if let tail = tail(of: value, in: head) { return origin + path(tail) }
        let slash = UInt8(ascii: "/")
        let isPath = value.first == slash && value.dropFirst().first != slash
        return isPath && !server.prefix.isEmpty ? server.prefix + value : nil
    }

    /// The conditions of If with replaced Resource-Tags; the tokens and entity tags in the lists
    /// stay. Nil if nothing is replaced, or if the value is not such a list.
    private func condition(_ value: ArraySlice<UInt8>, in head: RequestHead) -> [UInt8]? {
        var output: [UInt8] = []
        var rest = value
        var isInList = false
        while let first = rest.first {
            let end: Int?
            switch first {
            case UInt8(ascii: "<"): end = rest.firstIndex(of: UInt8(ascii: ">"))
            case UInt8(ascii: "[") where isInList: end = RequestReferences.tagEnd(in: rest)
            case UInt8(ascii: "(") where !isInList, UInt8(ascii: ")") where isInList:
                isInList.toggle()
                end = rest.startIndex
            default:
                let isNot = isInList && "NOTnot".utf8.contains(first)
                end = isNot || ASCII.isOWS(first) ? rest.startIndex : nil
            }
            guard let end else { return nil }
            let isTag = first == UInt8(ascii: "<") && !isInList
            let url = rest[rest.startIndex...end].dropFirst().dropLast()
            if isTag, let reference = reference(url, in: head) {
                output += [first] + reference + [rest[end]]
            } else {
                output += rest[...end]
            }
            rest = rest[(end + 1)...]
        }
        return isInList || output[...] == value ? nil : output
    }

    /// The position of the bracket that ends an entity tag (RFC 9110 §8.8.3), which may contain
    /// brackets between its quotes.
    private static func tagEnd(in bytes: ArraySlice<UInt8>) -> Int? {
        let quote = UInt8(ascii: "\"")
        guard let open = bytes.firstIndex(of: quote),
            let close = bytes[(open + 1)...].firstIndex(of: quote),
            bytes[(close + 1)...].first == UInt8(ascii: "]")
        else { return nil }
        return close + 1
    }
}

/// A server whose place a reverse proxy takes.
public struct ReplacedServer: Sendable, Hashable {
    /// `http` or `https`.
    public let scheme: String
    /// The server's host, without brackets.
    public let host: String
    public let port: UInt16
    /// The bytes before each request's path: empty, or a path without a slash at its end.
    public let prefix: [UInt8]
    /// The hosts that an absolute request target may name, in their canonical form: the server's,
    /// and those of the reverse proxy.
    public let names: [String]

    /// `names` are further hosts that absolute targets may name.
    public init(
        scheme: String, host: String, port: UInt16, prefix: String = "", names: [String] = []
    ) {
        self.scheme = scheme
        self.host = host
        self.port = port
        self.prefix = Array(prefix.utf8)
        self.names = ([host] + names).map(HostName.canonical)
    }

    /// The URL of a request whose target, in origin-form, is `origin`.
    public func url(origin: Span<UInt8>) -> RawURL {
        let written = origin.array
        // `*` means the server as a whole (RFC 9110 §9.3.7).
        let isPath = written.first == UInt8(ascii: "/")
        return RawURL(
            scheme: scheme, host: host, port: port, origin: isPath ? prefix + written : written)
    }

    /// Whether an absolute request target may name this host.
    public func isNamed(_ host: String) -> Bool { names.contains(HostName.canonical(host)) }
}

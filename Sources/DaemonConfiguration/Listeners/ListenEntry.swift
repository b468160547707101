internal import ProxydConfigurationText

/// Where to listen and what is spoken there, as `listen.addresses` and `--listen` have it.
///
/// | text | mode |
/// |---|---|
/// | `ADDRESS:PORT`, `proxy://ADDRESS:PORT` | proxy |
/// | `socks://ADDRESS:PORT` | socks |
/// | `transparent://ADDRESS:PORT` | transparent |
/// | `reverse://HOST[:PORT][/PREFIX]@ADDRESS:PORT` | reverse to an https server |
/// | the same with `?plain` at its end | reverse to an http server |
/// | the same with `reverse+tls://` | reverse, whose clients speak TLS |
package struct ListenEntry: Sendable, Hashable {
    /// The address to listen on.
    package let address: ListenAddress
    /// The protocol of the clients.
    package let mode: ListenMode

    /// Creates an entry.
    package init(_ address: ListenAddress, _ mode: ListenMode = .proxy) {
        self.address = address
        self.mode = mode
    }

    /// Parses a text; nil if it is neither an address nor one after `MODE://`.
    init?(_ text: String) throws(ConfigurationValueError) {
        guard let mark = text.firstRange(of: "://") else {
            guard let address = ListenAddress(text) else { return nil }
            self.init(address)
            return
        }
        let scheme = text[..<mark.lowerBound].lowercased()
        let rest = text[mark.upperBound...]
        switch scheme {
        case "proxy": self.init(try Self.address(rest, after: scheme))
        case "socks": self.init(try Self.address(rest, after: scheme), .socks)
        case "transparent": self.init(try Self.address(rest, after: scheme), .transparent)
        // An https server is the default; some users name it explicitly.
        case "reverse", "reverse+https": try self.init(reverse: rest, scheme, clientTLS: nil)
        case "reverse+tls":
            try self.init(reverse: rest, scheme, clientTLS: .authority(names: []))
        default:
            let hint = NearMiss.hint(for: scheme, among: Self.schemes)
            throw ConfigurationValueError(
                "\"\(text)\" has no known mode before ://; the modes are "
                    + "\(Self.schemes.list)\(hint)"
            )
        }
    }

    private init(
        reverse rest: Substring, _ scheme: String, clientTLS: ReverseRoute.ClientTLS?
    ) throws(ConfigurationValueError) {
        guard let at = rest.lastIndex(of: "@") else {
            throw ConfigurationValueError(
                "\"\(scheme)://\(rest)\" does not say where to listen: "
                    + "write \(scheme)://HOST@ADDRESS:PORT")
        }
        var place = rest[rest.index(after: at)...]
        let isPlain = place.hasSuffix(Self.plainMark)
        if isPlain { place = place.dropLast(Self.plainMark.count) }
        let address = try Self.address(place, after: "@")
        guard !isPlain || scheme != "reverse+https",
            let server = ReverseServer(rest[..<at], isSecure: !isPlain)
        else {
            throw ConfigurationValueError(
                "\"\(rest[..<at])\" is not a server: write HOST, HOST:PORT or HOST:PORT/PREFIX, "
                    + "and ?plain at the end if it speaks http")
        }
        self.init(address, .reverse(ReverseRoute(to: server, clientTLS: clientTLS)))
    }

    /// The text that parses as this entry, without the settings that only a table can have.
    package var text: String {
        switch mode {
        case .proxy: address.text
        case .socks, .transparent: "\(mode.name)://\(address.text)"
        case .reverse(let route):
            (route.clientTLS == nil ? "reverse" : "reverse+tls")
                + "://\(route.server.place)@\(address.text)"
                + (route.server.isSecure ? "" : Self.plainMark)
        }
    }

    private static let plainMark = "?plain"
    private static let schemes = ListenMode.Name.allCases.map(\.rawValue) + ["reverse+tls"]

    private static func address(
        _ text: Substring, after mark: String
    ) throws(ConfigurationValueError) -> ListenAddress {
        guard let address = ListenAddress(String(text)) else {
            let place = mark == "@" ? mark : mark + "://"
            throw ConfigurationValueError(
                "expected \(ListenAddress.expectation) after \(place), found \"\(text)\"")
        }
        return address
    }
}

extension [String] {
    /// The list as `a, b and c`.
    fileprivate var list: String {
        guard let last, count > 1 else { return joined() }
        return dropLast().joined(separator: ", ") + " and " + last
    }
}

internal import ProxydConfigurationText

extension Configuration {
    package struct Listen: Sendable, Equatable {
        /// The listeners of `listen.addresses` or `--listen`.
        package var addresses = ListenAddress("127.0.0.1:8080").map { [ListenEntry($0)] } ?? []
        package var tables: [ListenerTable] = []
        /// Clients allowed besides those of this machine, unless a table says otherwise.
        package var allowedClientNetworks: [IPNetwork] = []
        /// The users of listeners without a file of their own, in modes that have users; an
        /// absolute path, or nil if no one has to authenticate.
        package var usersFile: String?
        /// Whether the allowed networks may contain public addresses.
        package var allowsPublicNetworks = false

        /// The clients that may use a listener without its own rules.
        package var access: ClientAccess { ClientAccess(allowedClientNetworks) }

        package var listeners: [Listener] {
            addresses.map { entry in
                var options = ListenerOptions()
                options.usersFile = usersFile(of: entry.mode, own: nil)
                return Listener(entry, access, options)
            } + tableListeners
        }

        package var tableListeners: [Listener] {
            tables.map { table in
                let networks = table.networks ?? allowedClientNetworks
                var options = table.options
                options.usersFile = usersFile(of: table.entry.mode, own: options.usersFile)
                return Listener(
                    table.entry, ClientAccess(networks, options.trustedNetworks), options)
            }
        }

        private func usersFile(of mode: ListenMode, own: String?) -> String? {
            let file = own ?? usersFile
            return mode.hasUsers && file != "" ? file : nil
        }
    }

    /// An address for clients, with its protocol and its allowed clients.
    package struct Listener: Sendable, Hashable {
        package let address: ListenAddress
        package let mode: ListenMode
        package let access: ClientAccess
        package let options: ListenerOptions

        package init(
            _ entry: ListenEntry, _ access: ClientAccess,
            _ options: ListenerOptions = ListenerOptions()
        ) {
            address = entry.address
            mode = entry.mode
            self.access = access
            self.options = options
        }

        /// Identifies the listener: its own name, or the short form.
        package var name: String { options.name ?? ListenEntry(address, mode).text }
    }

    /// A `[[listener]]` table.
    package struct ListenerTable: Sendable, Hashable {
        package let entry: ListenEntry
        /// The listener's own allowed networks, or nil to use those of `[listen]`.
        package let networks: [IPNetwork]?
        package let options: ListenerOptions

        package init(
            _ entry: ListenEntry, networks: [IPNetwork]? = nil,
            _ options: ListenerOptions = ListenerOptions()
        ) {
            self.entry = entry
            self.networks = networks
            self.options = options
        }

        var place: Place {
            Place(
                entry: entry, name: options.name, expectsPROXYHeader: options.expectsPROXYHeader,
                usesTPROXY: options.usesTPROXY)
        }

        /// What only a restart can change.
        struct Place: Equatable {
            let entry: ListenEntry
            let name: String?
            let expectsPROXYHeader: Bool
            let usesTPROXY: Bool
        }
    }
}

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
    package let address: ListenAddress
    package let mode: ListenMode

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
        case "reverse+tls": try self.init(reverse: rest, scheme, clientTLS: .authority(names: []))
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
                + "://\(route.server.authority)@\(address.text)"
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

/// An IP address and a TCP port to listen on: `127.0.0.1:8080` or `[::1]:8080`.
package struct ListenAddress: Sendable, Hashable {
    /// The address without brackets.
    package let ip: String
    /// The port; 0 lets the system choose.
    package let port: UInt16
    /// Whether only this machine can connect to it.
    package let isLoopback: Bool

    /// Parses `ADDRESS:PORT`; nil for anything else. Names are not resolved.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"),
            let port = UInt16(text[text.index(after: colon)...])
        else { return nil }
        var address = String(text[..<colon])
        let isBracketed = address.hasPrefix("[") && address.hasSuffix("]")
        if isBracketed { address = String(address.dropFirst().dropLast()) }
        guard address.contains(":") == isBracketed, !address.contains("/"),
            let network = IPNetwork(address)
        else { return nil }
        ip = address
        self.port = port
        isLoopback = network.isLoopback
    }

    /// Whether both are the same address and port, regardless of notation.
    func isSame(as other: ListenAddress) -> Bool { port == other.port && bytes == other.bytes }

    /// Whether a connection could match both, because one of them includes every address.
    func overlaps(_ other: ListenAddress) -> Bool {
        guard port == other.port, bytes.count == other.bytes.count else { return false }
        return bytes == other.bytes || isUnspecified || other.isUnspecified
    }

    private var bytes: [UInt8] { IPNetwork(ip)?.bytes ?? [] }
    /// Whether it means all addresses of this machine.
    package var isUnspecified: Bool { bytes.allSatisfy { $0 == 0 } }

    package var text: String { ip.contains(":") ? "[\(ip)]:\(port)" : "\(ip):\(port)" }
}

package enum ListenMode: Sendable, Hashable {
    /// HTTP with proxy requests, including CONNECT.
    case proxy
    /// SOCKS 4, 4a and 5.
    case socks
    /// Connections that the kernel redirected; the server is their original destination.
    case transparent
    /// HTTP with requests for a server, to which they are forwarded.
    case reverse(ReverseRoute)

    /// The names of the modes for `mode = …` and the short forms.
    enum Name: String, CaseIterable, Sendable {
        case proxy, reverse, socks, transparent
    }

    /// Whether clients can name a user: with a reverse or transparent listener they see no proxy.
    package var hasUsers: Bool {
        switch self {
        case .proxy, .socks: true
        case .transparent, .reverse: false
        }
    }

    package var name: String {
        switch self {
        case .proxy: Name.proxy.rawValue
        case .socks: Name.socks.rawValue
        case .transparent: Name.transparent.rawValue
        case .reverse: Name.reverse.rawValue
        }
    }
}

/// What a `[[listener]]` table can say besides address, mode and allowed clients.
package struct ListenerOptions: Sendable, Hashable {
    /// The name in records, and in `FileDescriptorName=` of a socket unit; nil for the short form.
    package var name: String?
    /// Whether each connection starts with a header of the PROXY protocol.
    package var expectsPROXYHeader = false
    /// The networks of the load balancers that may send such a header.
    package var trustedNetworks: [IPNetwork] = []
    /// The file with the users, an absolute path; nil if there is none. In a table, nil means the
    /// file of `[listen]`, and an empty text means no file.
    package var usersFile: String?
    /// Mode transparent: whether connections come by TPROXY, unchanged, instead of redirected.
    package var usesTPROXY = false

    package init() {}
}

/// The clients that may use a listener: those of this machine, and those of the allowed networks.
package struct ClientAccess: Sendable, Hashable {
    package let networks: [IPNetwork]
    /// The networks of the load balancers that may send a PROXY header.
    package let trustedNetworks: [IPNetwork]

    package init(_ networks: [IPNetwork] = [], _ trustedNetworks: [IPNetwork] = []) {
        self.networks = networks
        self.trustedNetworks = trustedNetworks
    }

    /// Whether a client at this address, without brackets, is allowed.
    package func allows(_ ip: String) -> Bool {
        IPNetwork(ip)?.isLoopback == true || networks.contains { $0.contains(ip) }
    }

    /// Whether a client at this address, without brackets, may send a PROXY header. Not even those
    /// of this machine may, unless they are trusted.
    package func trusts(_ ip: String) -> Bool { trustedNetworks.contains { $0.contains(ip) } }
}

/// Which clients may use each of the listeners.
///
/// Listeners are added and removed only by a restart, but a reload may change the clients of those
/// that stay.
package struct AccessByListener: Sendable {
    private var accessOfName: [String: ClientAccess] = [:]
    private var others = ClientAccess()

    package init(_ listen: Configuration.Listen) { update(listen) }

    /// Uses another configuration. A listener that it does not contain keeps its allowed clients.
    package mutating func update(_ listen: Configuration.Listen) {
        others = listen.access
        for listener in listen.listeners { accessOfName[listener.name] = listener.access }
    }

    /// The allowed clients of a listener; those of `[listen]` if no configuration named it.
    package subscript(name: String) -> ClientAccess { accessOfName[name] ?? others }
}

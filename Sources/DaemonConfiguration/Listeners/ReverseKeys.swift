internal import ProxydConfigurationText

/// The keys of a `[[listener]]` table that only the mode reverse has.
struct ReverseKeys {
    private let server: ReverseServer?
    private let host: ReverseRoute.HostField?
    private let hasTLS: Bool?
    private let names: [String]?
    private let certificate: String?
    private let key: String?
    private let rewritesBack: Bool?
    private let rewritesRequests: Bool?
    private let headerVersion: Int?

    private static let all = [
        "to", "host", "tls", "names", "certificate", "key", "rewrite_back", "rewrite_requests",
        "send_proxy_protocol",
    ]

    /// Reads the keys; reports mistakes in single keys.
    init(_ table: inout TableReader) {
        server = table.value("to")
        host = table.value("host")
        hasTLS = table.value("tls")
        names = table.value("names")
        certificate = table.value("certificate")
        key = table.value("key")
        rewritesBack = table.value("rewrite_back")
        rewritesRequests = table.value("rewrite_requests")
        headerVersion = table.headerVersion()
    }

    /// Reports these keys in a table of another mode.
    func refuse(_ table: TableReader) {
        for name in Self.all where table.has(name) {
            table.report("\(name) is only for mode = \"reverse\"", at: name)
        }
    }

    /// The route from these keys, or nil if the server is missing or wrong. Reports contradictions.
    func route(_ table: TableReader) -> ReverseRoute? {
        if !table.has("to") {
            table.report(
                "mode = \"reverse\" needs a server: to = \"https://HOST\"", at: "mode")
        }
        checkTLS(table)
        guard let server else { return nil }
        var route = ReverseRoute(to: server)
        route.hostField = host ?? .change
        route.rewritesBack = rewritesBack ?? true
        route.rewritesRequests = rewritesRequests
        route.headerVersion = headerVersion
        if let certificate, let key {
            checkCertificate(certificate, key, table)
            route.clientTLS = .files(certificate: certificate, key: key)
        } else if hasTLS ?? (names != nil) {
            route.clientTLS = .authority(names: names ?? [])
        }
        return route
    }

    /// Files that cannot be used would otherwise be noticed only when the daemon starts.
    private func checkCertificate(_ certificate: String, _ key: String, _ table: TableReader) {
        guard certificate.hasPrefix("/"), key.hasPrefix("/") else { return }
        do {
            _ = try ReverseCertificate.load(certificate: certificate, key: key)
        } catch {
            table.report("certificate: \(error.message)", at: "certificate")
        }
    }

    private func checkTLS(_ table: TableReader) {
        for (one, other) in [("certificate", "key"), ("key", "certificate")]
        where table.has(one) && !table.has(other) {
            table.report("\(one) also needs \(other)", at: one)
        }
        for (name, path) in [("certificate", certificate), ("key", key)] {
            guard let path else { continue }
            do {
                try ConfigurationKey.requireAbsolute(path)
            } catch {
                table.report("\(name): \(error.message)", at: name)
            }
        }
        for name in names ?? [] where !HostText.isName(name) {
            table.report("names: \"\(name)\" is not a DNS name", at: "names")
        }
        if table.has("names"), table.has("certificate") {
            table.report(
                "names are for certificates of proxyd's own authority: omit them with "
                    + "certificate", at: "names")
        }
        guard hasTLS == false else { return }
        for name in ["names", "certificate"] where table.has(name) {
            table.report("\(name) has no meaning with tls = false", at: name)
        }
    }
}

extension ReverseServer: ConfigurationStringValue {
    /// The description of a valid value.
    package static var expectation: String { "https://HOST, with or without :PORT and /PREFIX" }
    /// Parses a server.
    package static func read(_ text: String) -> ReverseServer? { ReverseServer(url: text) }
    /// The URL of the server.
    package var text: String { url }
}

extension ReverseRoute.HostField: ConfigurationStringValue {
    /// The description of a valid value.
    package static var expectation: String {
        "\"change\", \"keep\" or a host with or without :PORT"
    }
    /// Parses a value.
    package static func read(_ text: String) -> Self? {
        switch text {
        case "change": .change
        case "keep": .keep
        default: isHost(text) ? .name(text) : nil
        }
    }
    private static func isHost(_ text: String) -> Bool {
        !text.contains("/") && ReverseServer(text[...], isSecure: true) != nil
    }
    /// The value in the configuration's format.
    package var text: String {
        switch self {
        case .change: "change"
        case .keep: "keep"
        case .name(let name): name
        }
    }
}

extension ReverseRoute {
    /// The keys and values of a table as TOML.
    var tomlMembers: [(String, String)] {
        var members = [("to", server.tomlText), ("host", hostField.tomlText)]
        switch clientTLS {
        case nil: members.append(("tls", "false"))
        case .authority(let names): members += [("tls", "true"), ("names", names.tomlText)]
        case .files(let certificate, let key):
            members += [("certificate", certificate.tomlText), ("key", key.tomlText)]
        }
        members.append(("rewrite_back", rewritesBack.tomlText))
        if let rewritesRequests {
            members.append(("rewrite_requests", rewritesRequests.tomlText))
        }
        if let headerVersion {
            members.append(("send_proxy_protocol", String(headerVersion)))
        }
        return members
    }
}

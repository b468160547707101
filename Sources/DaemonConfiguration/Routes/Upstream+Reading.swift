internal import ProxydConfigurationText

extension Configuration.Upstream {
    /// Reads a table; nil if it has a mistake, which is reported.
    static func read(_ table: inout TableReader) -> Configuration.Upstream? {
        let name = RouteName.read(&table, or: "an upstream proxy needs a name")
        let url = table.required(
            "url", as: UpstreamURL.self, or: "an upstream proxy needs a url")
        let user = table.value("user", as: String.self)
        let passwordFile = table.value("password_file", as: String.self)
        let password = table.secret("password_file", in: passwordFile)
        let hosts = table.value("hosts", as: [HostPattern].self)
        let exceptions = table.value("except", as: [BypassPattern].self)
        let version = table.headerVersion()
        checkCredentials(table, url, user)
        table.finish()
        guard let name, let url else { return nil }
        return Configuration.Upstream(
            name: name, url: url, user: user, passwordFile: passwordFile, password: password,
            hosts: hosts ?? HostPattern.all, exceptions: exceptions ?? [], headerVersion: version)
    }

    private static func checkCredentials(
        _ table: TableReader, _ url: UpstreamURL?, _ user: String?
    ) {
        if table.has("password_file"), !table.has("user") {
            table.report("password_file also needs user", at: "password_file")
        }
        if url?.scheme == .socks4a {
            if table.has("password_file") {
                table.report("SOCKS 4 has no passwords: omit password_file", at: "password_file")
            }
        } else if table.has("user"), !table.has("password_file") {
            table.report("user also needs password_file", at: "user")
        }
        guard let user else { return }
        let isPrintable = user.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
        if user.isEmpty || !isPrintable || user.utf8.count > 255 || user.contains(":") {
            table.report("user: expected 1 to 255 bytes of text without a colon", at: "user")
        }
    }

    /// The proxy as an inline table, without its password.
    package var tomlText: String {
        var members = [("name", name.tomlText), ("url", url.tomlText)]
        if let user { members.append(("user", user.tomlText)) }
        if let passwordFile { members.append(("password_file", passwordFile.tomlText)) }
        members.append(("hosts", hosts.tomlText))
        if !exceptions.isEmpty { members.append(("except", exceptions.tomlText)) }
        if let headerVersion {
            members.append(("send_proxy_protocol", String(headerVersion)))
        }
        return "{ " + members.map { "\($0) = \($1)" }.joined(separator: ", ") + " }"
    }
}

/// Names of upstream proxies and client certificates.
enum RouteName {
    /// Reads the name of a table; nil if it has a mistake, which is reported.
    static func read(_ table: inout TableReader, or message: String) -> String? {
        guard let name = table.required("name", as: String.self, or: message) else { return nil }
        let isWord = name.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
        guard isWord, !name.isEmpty, name.utf8.count <= 100 else {
            table.report("name: expected 1 to 100 bytes without spaces", at: "name")
            return nil
        }
        guard name != "direct" else {
            table.report("name: \"direct\" means no proxy in rules", at: "name")
            return nil
        }
        return name
    }
}

extension HostPattern {
    /// Every host.
    static let all = (try? HostPattern("*")).map { [$0] } ?? []
}

extension TableReader {
    /// The form of the PROXY header to send; nil to send none.
    mutating func headerVersion() -> Int? {
        let version = value("send_proxy_protocol", as: Int.self)
        if let version, version != 1, version != 2 {
            report("send_proxy_protocol: expected 1 or 2", at: "send_proxy_protocol")
        }
        return version
    }

    /// The password in the private file that a key names.
    func secret(_ key: String, in path: String?) -> Configuration.Secret? {
        guard let path else { return nil }
        do {
            return Configuration.Secret(try PrivateFile.password(in: path))
        } catch {
            report("\(key): \(error.message)", at: key)
            return nil
        }
    }
}

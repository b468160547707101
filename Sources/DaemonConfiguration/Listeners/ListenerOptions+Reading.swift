internal import ProxydConfigurationText

extension ListenerOptions {
    /// Reads the keys of a table; reports mistakes.
    init(_ table: inout TableReader, mode: ListenMode.Name?) {
        self.init()
        name = table.value("name")
        if let name, !Self.isName(name) {
            table.report(
                "name: \"\(name)\" is not a name: use letters, digits, and . _ -", at: "name")
        }
        expectsPROXYHeader = table.value("proxy_protocol") ?? false
        let trusted = table.value("trusted", as: [IPNetwork].self)
        trustedNetworks = trusted ?? []
        usesTPROXY = table.value("tproxy") ?? false
        usersFile = table.value("users_file")
        check(table, mode, isTrustedMistaken: trusted == nil && table.has("trusted"))
    }

    /// The characters that the service manager accepts in the name of a socket, but for those that
    /// would be mistaken for a short form.
    private static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 64
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
                    UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    private func check(
        _ table: TableReader, _ mode: ListenMode.Name?, isTrustedMistaken: Bool
    ) {
        if usesTPROXY, let mode, mode != .transparent {
            table.report("tproxy is only for mode = \"transparent\"", at: "tproxy")
        }
        if let usersFile { checkUsers(usersFile, table, mode) }
        if expectsPROXYHeader, mode == .transparent {
            table.report(
                "proxy_protocol cannot be used with mode = \"transparent\": the kernel redirects "
                    + "connections of clients, which start with no header", at: "proxy_protocol")
        }
        if expectsPROXYHeader, trustedNetworks.isEmpty, !isTrustedMistaken {
            table.report(
                "proxy_protocol also needs trusted, the networks of the load balancers: any other "
                    + "client could claim to be someone else", at: "proxy_protocol")
        }
        if !expectsPROXYHeader, table.has("trusted") {
            table.report("trusted has no meaning without proxy_protocol = true", at: "trusted")
        }
    }

    private func checkUsers(_ file: String, _ table: TableReader, _ mode: ListenMode.Name?) {
        if mode == .reverse || mode == .transparent {
            table.report(
                "users_file is only for the modes proxy and socks: other clients do not know that "
                    + "there is a proxy to authenticate at", at: "users_file")
        }
        do {
            if !file.isEmpty { try ConfigurationKey.requireAbsolute(file) }
        } catch {
            table.report("users_file: \(error.message)", at: "users_file")
        }
    }

    /// The keys and values of a table as TOML.
    var tomlMembers: [(String, String)] {
        var members: [(String, String)] = []
        if let name { members.append(("name", name.tomlText)) }
        if expectsPROXYHeader {
            members += [("proxy_protocol", "true"), ("trusted", trustedNetworks.tomlText)]
        }
        if let usersFile { members.append(("users_file", usersFile.tomlText)) }
        if usesTPROXY { members.append(("tproxy", "true")) }
        return members
    }
}

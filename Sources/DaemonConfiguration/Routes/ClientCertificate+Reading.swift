internal import ProxydConfigurationText
internal import ProxydTLS

extension Configuration.ClientCertificate {
    /// Reads a table and its files; nil if there is a mistake, which is reported.
    static func read(_ table: inout TableReader) -> Configuration.ClientCertificate? {
        let name = RouteName.read(&table, or: "a client certificate needs a name")
        let hosts = table.value("hosts", as: [HostPattern].self) ?? []
        let certificate = table.value("certificate", as: String.self)
        let key = table.value("key", as: String.self)
        let pkcs12 = table.value("pkcs12", as: String.self)
        let passwordFile = table.value("password_file", as: String.self)
        let password = table.secret("password_file", in: passwordFile)
        let hasPassword = passwordFile == nil || password != nil
        table.finish()
        let source: Source
        switch (certificate, key, pkcs12) {
        case (let certificate?, let key?, nil): source = .pem(certificate: certificate, key: key)
        case (nil, nil, let path?): source = .pkcs12(path)
        default:
            if !table.has("certificate") || !table.has("key") || table.has("pkcs12") {
                table.report("a client certificate is certificate and key, or pkcs12")
            }
            return nil
        }
        guard hasPassword, let identity = identity(source, password?.text, table), let name else {
            return nil
        }
        return Configuration.ClientCertificate(
            name: name, hosts: hosts, source: source, passwordFile: passwordFile,
            identity: identity)
    }

    /// The certificate need not be secret; what contains the key must be.
    private static func identity(
        _ source: Source, _ password: String?, _ table: TableReader
    ) -> ClientIdentity? {
        switch source {
        case .pem(let certificate, let key):
            guard let secret = contents("key", key, table),
                let text = contents("certificate", certificate, isPublic: certificate != key, table)
            else { return nil }
            return make("certificate", table) { () throws(TLSError) in
                try ClientIdentity(
                    certificatesPEM: text, privateKeyPEM: secret, password: password)
            }
        case .pkcs12(let path):
            guard let bytes = contents("pkcs12", path, table) else { return nil }
            return make("pkcs12", table) { () throws(TLSError) in
                try ClientIdentity(pkcs12: bytes, password: password ?? "")
            }
        }
    }

    private static func contents(
        _ key: String, _ path: String, isPublic: Bool = false, _ table: TableReader
    ) -> [UInt8]? {
        do {
            guard isPublic else { return try PrivateFile.contents(of: path) }
            try ConfigurationKey.requireAbsolute(path)
            return Array(try ConfigurationFile.contents(of: path).utf8)
        } catch {
            table.report("\(key): \(error.message)", at: key)
            return nil
        }
    }

    private static func make(
        _ key: String, _ table: TableReader, _ make: () throws(TLSError) -> ClientIdentity
    ) -> ClientIdentity? {
        do {
            return try make()
        } catch {
            table.report("\(key): \(error.message)", at: key)
            return nil
        }
    }

    /// The certificate as an inline table, without secrets.
    package var tomlText: String {
        var members = [("name", name.tomlText)]
        if !hosts.isEmpty { members.append(("hosts", hosts.tomlText)) }
        switch source {
        case .pem(let certificate, let key):
            members += [("certificate", certificate.tomlText), ("key", key.tomlText)]
        case .pkcs12(let path): members.append(("pkcs12", path.tomlText))
        }
        if let passwordFile { members.append(("password_file", passwordFile.tomlText)) }
        return "{ " + members.map { "\($0) = \($1)" }.joined(separator: ", ") + " }"
    }
}

internal import ProxydConfigurationText
package import ProxydTLS
internal import Glibc

extension Configuration {
    /// A `[[client_certificate]]` table.
    package struct ClientCertificate: Sendable, Equatable {
        /// Where the certificate and its key are; absolute paths.
        package enum Source: Sendable, Equatable {
            /// PEM files, which may be the same.
            case pem(certificate: String, key: String)
            case pkcs12(String)
        }

        /// The name, which rules may use.
        package var name: String
        /// The servers that it is shown to; empty for those for which rules name it.
        package var hosts: [HostPattern]
        package var source: Source
        /// The path of the file with the password of the key.
        package var passwordFile: String?
        package var identity: ClientIdentity

        /// Whether it is shown to a server without a rule.
        package func isFor(host: String, port: UInt16) -> Bool {
            hosts.contains { $0.matches(host: host, port: port) }
        }

        /// Whether both are the same, except that the files were read again.
        package static func == (left: ClientCertificate, right: ClientCertificate) -> Bool {
            left.tomlText == right.tomlText
                && left.identity.certificateDER == right.identity.certificateDER
        }
    }
}

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
                try ClientIdentity(certificatesPEM: text, privateKeyPEM: secret, password: password)
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
            guard isPublic else { return try SecretFile.contents(of: path) }
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

enum SecretFile {
    private static let byteCountMax = 1 << 20

    /// The content of a file that no other user can read.
    /// - Throws: what is wrong with the path, the file or its permissions.
    static func contents(of path: String) throws(ConfigurationValueError) -> [UInt8] {
        try ConfigurationKey.requireAbsolute(path)
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            throw ConfigurationValueError(
                "cannot read \(path): \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        // The opened file is examined, so that it cannot be replaced in between.
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw ConfigurationValueError("\(path) is not a file")
        }
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            throw ConfigurationValueError(
                "\(path) belongs to a user other than root and the daemon's")
        }
        guard status.st_mode & (S_IRWXG | S_IRWXO) == 0 else {
            throw ConfigurationValueError("\(path) is accessible to other users: chmod 600 \(path)")
        }
        return try read(descriptor, path)
    }

    /// The first line of a private file, as a password.
    static func password(in path: String) throws(ConfigurationValueError) -> String {
        var line = Array(try contents(of: path).prefix { $0 != 0x0A })
        if line.last == 0x0D { line.removeLast() }
        guard !line.isEmpty, line.count <= 1_024 else {
            throw ConfigurationValueError("\(path) has no password in its first line")
        }
        return String(decoding: line, as: UTF8.self)
    }

    private static func read(
        _ descriptor: Int32, _ path: String
    ) throws(ConfigurationValueError) -> [UInt8] {
        var content: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count == 0 { return content }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                throw ConfigurationValueError(
                    "cannot read \(path): \(String(cString: strerror(errno)))")
            }
            content += buffer[..<count]
            guard content.count <= byteCountMax else {
                throw ConfigurationValueError("\(path) is larger than a key or a password")
            }
        }
    }
}

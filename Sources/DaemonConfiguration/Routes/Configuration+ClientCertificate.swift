package import ProxydTLS

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
        /// Where it is.
        package var source: Source
        /// The path of the file with the password of the key.
        package var passwordFile: String?
        /// The certificate and its key, as they are in the files.
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

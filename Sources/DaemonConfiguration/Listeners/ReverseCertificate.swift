internal import Glibc
package import ProxydTLS
package import ProxydConfigurationText

/// The user's own certificate for a reverse listener.
package enum ReverseCertificate {
    /// Reads a certificate, those to send along, and the key.
    /// - Throws: what is wrong with which file.
    package static func load(
        certificate: String, key: String
    ) throws(ConfigurationValueError) -> TLSServerContext {
        let certificates = try contents(of: certificate)
        let privateKey = try contents(of: key)
        do {
            return try TLSServerContext(
                name: certificate, certificatesPEM: certificates, privateKeyPEM: privateKey)
        } catch {
            throw ConfigurationValueError("\(certificate) and \(key): \(error.message)")
        }
    }

    private static func contents(of path: String) throws(ConfigurationValueError) -> [UInt8] {
        do {
            return Array(try ConfigurationFile.contents(of: path).utf8)
        } catch {
            throw ConfigurationValueError("cannot read \(path)")
        }
    }
}

internal import FoundationEssentials

/// Files that make programs trust an authority, in a folder that is temporary.
struct TrustFiles {
    /// The certificates that programs trust anyway, and the authority's.
    let bundlePath: String
    /// The authority's certificate alone.
    let certificatePath: String
    /// The same as `bundlePath` for Java; nil if it cannot be made.
    let keyStorePath: String?
    /// A script for Node.
    let nodeScriptPath: String
    /// Settings of wget, which has no variable for certificates.
    let wgetSettingsPath: String

    /// Writes the files.
    /// - Parameters:
    ///   - certificatePath: The certificate of the authority in PEM.
    ///   - folder: An existing folder.
    ///   - variables: The environment, which may name another file of trusted certificates.
    init(
        trusting certificatePath: String, in folder: String, _ environment: Environment
    ) throws {
        let own = try TrustFiles.contents(of: certificatePath)
        let named = environment.variables["SSL_CERT_FILE"].flatMap { $0.isEmpty ? nil : $0 }
        let system = named ?? environment.systemRoot + TrustInquiry.systemBundlePath
        let trusted = (try? TrustFiles.contents(of: system)) ?? []
        let bundle = trusted + [0x0A] + own
        self.certificatePath = folder + "/authority.pem"
        bundlePath = folder + "/bundle.pem"
        nodeScriptPath = folder + "/proxy.cjs"
        wgetSettingsPath = folder + "/wgetrc"
        try TrustFiles.write(own, to: self.certificatePath)
        try TrustFiles.write(bundle, to: bundlePath)
        try TrustFiles.write(Array(NodeProxyScript.text.utf8), to: nodeScriptPath)
        try TrustFiles.write(
            TrustFiles.wgetSettings(trusting: bundlePath, environment), to: wgetSettingsPath)
        let keyStore = JavaKeyStore.bytes(of: PEMBundle.certificates(in: bundle))
        keyStorePath = keyStore.map { _ in folder + "/bundle.jks" }
        if let keyStore, let keyStorePath { try TrustFiles.write(keyStore, to: keyStorePath) }
    }

    /// The user's settings, and the file of certificates.
    private static func wgetSettings(
        trusting path: String, _ environment: Environment
    ) -> [UInt8] {
        let named = environment.variables["WGETRC"] ?? environment.home.map { $0 + "/.wgetrc" }
        let before = named.flatMap { try? contents(of: $0) } ?? []
        return before + Array("\nca_certificate = \(path)\n".utf8)
    }

    private static func contents(of path: String) throws -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CommandFailure("\(path) cannot be read")
        }
        return [UInt8](data)
    }

    private static func write(_ bytes: [UInt8], to path: String) throws {
        guard
            FileManager.default.createFile(
                atPath: path, contents: Data(bytes), attributes: [.posixPermissions: 0o600])
        else {
            throw CommandFailure("\(path) cannot be written")
        }
    }
}

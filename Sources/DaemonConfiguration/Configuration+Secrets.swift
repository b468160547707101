extension Configuration {
    /// The files with passwords and keys that the configuration names, as absolute paths. They need
    /// not exist yet.
    package var secretFiles: [String] {
        let optional =
            [listen.usersFile, tls.keyLogFile] + upstreams.map(\.passwordFile)
            + clientCertificates.map(\.passwordFile) + listen.tables.map(\.options.usersFile)
        let keys =
            clientCertificates.map { certificate in
                switch certificate.source {
                case .pem(_, let key): key
                case .pkcs12(let file): file
                }
            } + listen.listeners.compactMap(\.keyFile)
        return (optional.compactMap { $0 } + keys).filter { $0.hasPrefix("/") }
    }
}

extension Configuration.Listener {
    /// The key file of the user's own certificate, if the listener has one.
    fileprivate var keyFile: String? {
        guard case .reverse(let route) = mode, case .files(_, let key) = route.clientTLS else {
            return nil
        }
        return key
    }
}

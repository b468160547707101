internal import ProxydCaptureModel
internal import ProxydCentralStore

/// Opens the central store that `--store` names.
enum CentralAccess {
    /// A reader; it connects when it is first used.
    static func reader(_ uri: String) throws -> CentralReader {
        guard uri.hasPrefix("postgresql://") || uri.hasPrefix("postgres://") else {
            throw CommandFailure(
                "--store: a central store is named by a URI that starts with postgresql://",
                code: .usage)
        }
        // Without one, the first use of the reader says that it cannot be started.
        let program = SiblingProgram.path("proxyship") ?? "proxyship"
        return CentralReader(
            CentralLink { () throws(CentralError) in
                try HelperConnection(uri, program: program)
            })
    }
}

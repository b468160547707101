internal import FoundationEssentials
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
        let program = helper
        return CentralReader(
            CentralLink { () throws(CentralError) in
                try HelperConnection(uri, program: program)
            })
    }

    /// The `proxyship` beside this program, or else the one on the path.
    private static var helper: String {
        let own =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
            ?? CommandLine.arguments.first ?? ""
        let folder = own.parentFolder
        let folders =
            [folder]
            + (Environment.current.variables["PATH"] ?? "")
            .split(separator: ":").map(String.init)
        return folders.map { $0 + "/proxyship" }
            .first { FileManager.default.isExecutableFile(atPath: $0) } ?? folder + "/proxyship"
    }
}

internal import ArgumentParser

/// `proxyctl ca path`: prints where the certificate is.
struct CAPathCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "path", abstract: "Print the path of the PEM certificate.")

    @OptionGroup var global: GlobalOptions

    func run() throws {
        let authority = try AuthorityAccess(global.dataDirectory())
        Report().exactly(Array((authority.certificatePath + "\n").utf8))
    }
}

internal import ArgumentParser
internal import FoundationEssentials
internal import ProxydTLS

/// `proxyctl ca export FILE`: writes the certificate to a file.
struct CAExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write the certificate to FILE.",
        discussion: "DER if the name ends in .der or .cer, otherwise PEM. - is standard output.")

    @OptionGroup var global: GlobalOptions
    @Argument(help: ArgumentHelp("The file to write.", valueName: "file"))
    var file: String

    func run() throws {
        let authority = try AuthorityAccess(global.dataDirectory())
        if file == "-" { return Report().exactly(authority.certificate.pem) }
        let name = file.lowercased()
        let isDER = name.hasSuffix(".der") || name.hasSuffix(".cer")
        let bytes = isDER ? authority.certificate.der : authority.certificate.pem
        do {
            try Data(bytes).write(to: URL(fileURLWithPath: file), options: .atomic)
            // The certificate is not secret, and those who install it must be able to read it.
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o644], ofItemAtPath: file)
        } catch {
            throw CommandFailure("\(file): \(FileFailure.text(error))")
        }
        Report().line("\(file)")
    }
}

internal import ArgumentParser

/// `proxyctl ca`: the certificate that clients must trust.
struct CACommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ca",
        abstract: "Manage the CA certificate that clients must trust.",
        subcommands: [
            CAPathCommand.self, CAExportCommand.self, CAInstallCommand.self, CADoctorCommand.self,
        ])
}

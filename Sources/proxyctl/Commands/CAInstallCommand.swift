internal import ArgumentParser

/// `proxyctl ca install`: installs the certificate in the system's trust store and in browsers.
struct CAInstallCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "install",
        abstract: "Make this system and its browsers trust the certificate.",
        discussion: """
            The system's store needs root; the browsers' databases belong to the user who runs \
            the command. So run it with sudo for the one and without for the others.
            """)

    @OptionGroup var global: GlobalOptions
    @Flag(help: "Remove the certificate instead.")
    var uninstall = false

    func run() throws {
        let environment = Environment.current
        let inquiry = try AuthorityAccess(global.dataDirectory()).inquiry(environment)
        let action: TrustInstaller.Action = uninstall ? .uninstall : .install
        let steps = TrustInstaller(inquiry: inquiry, action: action).run()
        let report = Report(environment)
        for step in steps { report.whole(step.line) }
        guard steps.allSatisfy(\.isDone) else { throw CommandFailure(nil) }
    }
}

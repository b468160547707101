internal import ArgumentParser

/// `proxyctl ca install`: installs the certificate in the system's trust store and in browsers.
struct CAInstallCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "install",
        abstract: "Make this system and its browsers trust the certificate.",
        discussion: """
            The system store needs root; browser databases belong to the user who runs the \
            command. So run it once with sudo and once without.
            """)

    @OptionGroup var global: GlobalOptions
    @Flag(help: "Remove the certificate instead of installing it.")
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

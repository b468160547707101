internal import ArgumentParser
internal import ProxydParameterCoding

/// `proxyctl ca doctor`: shows which programs trust the certificate, and how to make others trust
/// it.
struct CADoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check what on this system trusts the certificate, and how to fix the rest.",
        discussion: "Exits with 0 if everything found trusts it, otherwise with 1.")

    @OptionGroup var global: GlobalOptions
    @Flag(help: "One JSON object per line.")
    var json = false

    func run() throws {
        let environment = Environment.current
        let authority = try AuthorityAccess(global.dataDirectory())
        let findings = TrustDoctor.examine(authority.inquiry(environment))
        let report = Report(environment)
        if json {
            for finding in findings { report.json(TrustReport.json(finding)) }
        } else {
            for line in TrustReport.lines(authority, findings) { report.whole(line) }
        }
        guard findings.allSatisfy({ $0.verdict == .trusts }) else { throw CommandFailure(nil) }
    }
}

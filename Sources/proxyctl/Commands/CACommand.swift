internal import Capture
internal import ProxydCivilTime
internal import ProxydExchangeContent
internal import ProxydParameterCoding
internal import ProxydPresentation
internal import ProxydTLS
internal import ArgumentParser
internal import FoundationEssentials

/// `proxyctl ca`: the certificate that clients must trust.
struct CACommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ca", abstract: "Manage the CA certificate that clients must trust.",
        subcommands: [
            CAPathCommand.self, CAExportCommand.self, CAInstallCommand.self, CADoctorCommand.self,
        ])
}

struct CAPathCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "path", abstract: "Print the path of the PEM certificate.")

    @OptionGroup var global: GlobalOptions

    func run() throws {
        let authority = try AuthorityAccess(global.dataDirectory())
        Report().exactly(Array((authority.certificatePath + "\n").utf8))
    }
}

struct CAExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write the certificate to FILE.",
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
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
        } catch {
            throw CommandFailure("\(file): \(FileFailure.text(error))")
        }
        Report().line("\(file)")
    }
}

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

/// The results of the doctor, as lines and as JSON.
enum TrustReport {
    static func lines(_ authority: AuthorityAccess, _ findings: [TrustFinding]) -> [StyledText] {
        let end = RFC3339.text(seconds: Int64(authority.certificate.notAfter))
        var lines: [StyledText] = [
            "certificate  \(authority.certificatePath)",
            "subject      \(authority.certificate.subject)",
            "sha256       \(authority.certificate.fingerprintText)",
            "valid until  \(end)",
            "signs for    \(authority.certificate.signingScope?.description ?? "other names")",
            "",
        ]
        var table = TextTable([
            .init(title: ""), .init(title: "", columnCountMax: 30), .init(title: ""),
        ])
        for finding in findings { table.append(row(finding)) }
        lines += table.lines()
        let remedies = self.remedies(findings)
        if !remedies.isEmpty { lines += ["", StyledText("what to do:", .heading)] + remedies }
        return lines + [""] + elsewhere(authority.certificatePath)
    }

    /// What cannot be examined from here; docs/MODES.md has the details.
    private static func elsewhere(_ path: String) -> [StyledText] {
        [
            StyledText("elsewhere:", .heading),
            StyledText("  a phone that uses the proxy:", .dim),
            "    open http://proxyd.local/ there, install the certificate, and trust it",
            StyledText("  a container:", .dim),
            "    docker run -v \(path):/proxyd.pem:ro -e SSL_CERT_FILE=/proxyd.pem "
                + "-e CURL_CA_BUNDLE=/proxyd.pem -e NODE_EXTRA_CA_CERTS=/proxyd.pem "
                + "-e REQUESTS_CA_BUNDLE=/proxyd.pem …",
            StyledText("  a service under systemd, in its [Service] section:", .dim),
            "    Environment=SSL_CERT_FILE=FILE, a copy of \(path) that its user can read",
            StyledText("  clients of a reverse listener with a certificate of its own:", .dim),
            "    nothing",
        ]
    }

    static func json(_ finding: TrustFinding) -> JSONValue {
        .members([
            ("program", .string(finding.program)), ("place", .string(finding.location)),
            ("trusts", trusts(finding)), ("reason", reason(finding)),
            ("command", .text(finding.remedy)),
        ])
    }

    private static func row(_ finding: TrustFinding) -> [StyledText] {
        let mark: StyledText
        var place = StyledText(finding.location)
        switch finding.verdict {
        case .trusts: mark = StyledText("trusts", .good)
        case .doesNotTrust: mark = StyledText("does not trust", .bad)
        case .unknown(let reason):
            mark = StyledText("unknown", .notice)
            place.append("  (\(reason))", .dim)
        }
        return [mark, StyledText(finding.program), place]
    }

    /// Each command once, for all programs that it fixes.
    private static func remedies(_ findings: [TrustFinding]) -> [StyledText] {
        var order: [String] = []
        var programs: [String: [String]] = [:]
        for finding in findings {
            guard let remedy = finding.remedy else { continue }
            if programs[remedy] == nil { order.append(remedy) }
            if programs[remedy]?.contains(finding.program) != true {
                programs[remedy, default: []].append(finding.program)
            }
        }
        return order.flatMap { remedy -> [StyledText] in
            let names = (programs[remedy] ?? []).joined(separator: ", ")
            return [StyledText("  \(names):", .dim), StyledText("    \(remedy)")]
        }
    }

    private static func trusts(_ finding: TrustFinding) -> JSONValue {
        switch finding.verdict {
        case .trusts: .bool(true)
        case .doesNotTrust: .bool(false)
        case .unknown: .null
        }
    }

    private static func reason(_ finding: TrustFinding) -> JSONValue {
        if case .unknown(let reason) = finding.verdict { return .string(reason) }
        return .null
    }
}

/// The certificate of a data directory's authority.
struct AuthorityAccess {
    let certificate: CertificateSummary
    /// The absolute path of the certificate, usable from any directory.
    let certificatePath: String
    private let dataDirectoryPath: String

    /// Reads the certificate, but never the key.
    init(_ directory: DataDirectory) throws {
        guard let summary = try CertificateAuthority.loadCertificate(in: directory.path) else {
            throw CommandFailure(
                "\(directory.authorityPath)/ca.pem does not exist yet: proxyd makes it when it "
                    + "first starts")
        }
        certificate = summary
        let path = CertificateAuthority.certificatePath(in: directory.path)
        certificatePath = URL(fileURLWithPath: path).standardizedFileURL.path
        dataDirectoryPath = URL(fileURLWithPath: directory.path).standardizedFileURL.path
    }

    func inquiry(_ environment: Environment) -> TrustInquiry {
        TrustInquiry(
            certificate: certificate.der, certificatePath: certificatePath, nickname: nickname,
            ownCommand: ShellQuoting.join([
                AuthorityAccess.ownPath, "--data-dir", dataDirectoryPath,
            ]), environment: environment)
    }

    /// A unique nickname for each authority, so that two of them can be installed.
    var nickname: String {
        let digits = certificate.fingerprint.prefix(4).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        return "proxyd-\(digits.joined())"
    }

    /// This program's absolute path, because `sudo` may use another search path.
    private static var ownPath: String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "proxyctl"
    }
}

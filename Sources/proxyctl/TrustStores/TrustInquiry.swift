internal import FoundationEssentials

/// The certificate to check, and the system to check.
struct TrustInquiry: Sendable {
    /// The authority's certificate.
    let certificate: [UInt8]
    /// The path of its PEM file.
    let certificatePath: String
    /// Its name in stores that name certificates; unique for each authority.
    let nickname: String
    /// The shell command that runs this program on the same data directory.
    let ownCommand: String
    let environment: Environment

    /// The command that adds the certificate to the system's store.
    var systemRemedy: String {
        (environment.userID == 0 ? "" : "sudo ") + "\(ownCommand) ca install"
    }

    /// The bundle of all certificates that the system trusts, on Debian and its derivatives.
    static let systemBundlePath = "/etc/ssl/certs/ca-certificates.crt"

    /// A system path, below the test's root in tests.
    func systemPath(_ path: String) -> String { environment.systemRoot + path }

    /// A path below the user's home, or nil if the home is unknown.
    func homePath(_ path: String) -> String? { environment.home.map { "\($0)/\(path)" } }

    /// An environment variable that is set and not empty.
    func variable(_ name: String) -> String? {
        environment.variables[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Whether a PEM file contains the certificate, or nil if the file cannot be read.
    func isInBundle(_ path: String) -> Bool? {
        guard let bytes = FileManager.default.contents(atPath: path) else { return nil }
        return PEMBundle.certificates(in: [UInt8](bytes)).contains(certificate)
    }

    /// The verdict for a bundle file; unknown if it cannot be read.
    func verdict(ofBundle path: String) -> TrustFinding.Verdict {
        switch isInBundle(path) {
        case true?: .trusts
        case false?: .doesNotTrust
        case nil: .unknown("the file cannot be read")
        }
    }

    /// Whether the system's store contains the certificate.
    var isInSystemBundle: Bool {
        isInBundle(systemPath(TrustInquiry.systemBundlePath)) ?? false
    }

    /// The remedy for a program that uses `place`: adding the certificate to the system's store if
    /// the program uses that, otherwise `command`, which points it there, preceded by adding the
    /// certificate if the system's store does not contain it yet.
    func remedy(of place: String, pointingToSystemBundle command: String) -> String {
        if place == systemPath(TrustInquiry.systemBundlePath) { return systemRemedy }
        return isInSystemBundle ? command : "\(systemRemedy) && \(command)"
    }

    /// The remedy for a program that a variable can point to the system's store.
    func remedy(of place: String, settingToSystemBundle variable: String) -> String {
        remedy(
            of: place,
            pointingToSystemBundle: "export \(variable)=\(TrustInquiry.systemBundlePath)")
    }
}

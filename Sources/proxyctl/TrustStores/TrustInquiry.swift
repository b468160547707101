internal import Foundation

/// The certificate that is asked about, and the system that is asked.
struct TrustInquiry: Sendable {
    /// The authority's certificate.
    let certificate: [UInt8]
    /// Where its PEM file is.
    let certificatePath: String
    /// The name it gets in stores that name their certificates; unique per authority.
    let nickname: String
    /// The command that runs this program on the same data directory, as a person would type it.
    let ownCommand: String
    let environment: Environment

    /// The command that puts the certificate into the system's store.
    var systemRemedy: String {
        (environment.userID == 0 ? "" : "sudo ") + "\(ownCommand) ca install"
    }

    /// The file with all certificates the system trusts, on Debian and its children.
    static let systemBundlePath = "/etc/ssl/certs/ca-certificates.crt"

    /// A system path, below the test's root in tests.
    func systemPath(_ path: String) -> String { environment.systemRoot + path }

    /// A path below the user's home; nil where none is known.
    func homePath(_ path: String) -> String? { environment.home.map { "\($0)/\(path)" } }

    /// An environment variable that is set to something.
    func variable(_ name: String) -> String? {
        environment.variables[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Whether a file of PEM certificates holds ours; nil where it cannot be read.
    func isInBundle(_ path: String) -> Bool? {
        guard let octets = FileManager.default.contents(atPath: path) else { return nil }
        return PEMBundle.certificates(in: [UInt8](octets)).contains(certificate)
    }

    /// What a bundle file says; unknown where it cannot be read.
    func verdict(ofBundle path: String) -> TrustFinding.Verdict {
        switch isInBundle(path) {
        case true?: .trusts
        case false?: .doesNotTrust
        case nil: .unknown("the file cannot be read")
        }
    }

    /// Whether the system's store holds the certificate.
    var isInSystemBundle: Bool {
        isInBundle(systemPath(TrustInquiry.systemBundlePath)) ?? false
    }

    /// What helps a program that looks at `place`: filling the system's store where that is what
    /// it looks at, else `command`, which points it there, preceded by filling the store where
    /// our certificate is not in it yet.
    func remedy(of place: String, pointingToSystemBundle command: String) -> String {
        if place == systemPath(TrustInquiry.systemBundlePath) { return systemRemedy }
        return isInSystemBundle ? command : "\(systemRemedy) && \(command)"
    }

    /// The same for a program that is pointed to the system's store by a variable.
    func remedy(of place: String, settingToSystemBundle variable: String) -> String {
        remedy(
            of: place,
            pointingToSystemBundle: "export \(variable)=\(TrustInquiry.systemBundlePath)")
    }
}

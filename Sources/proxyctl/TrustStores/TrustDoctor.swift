internal import ProxydCurlCommand
internal import FoundationEssentials

/// Checks every trust store on the system for the authority's certificate.
struct TrustDoctor: Sendable {
    private static let stores: [any TrustStore] = [
        SystemTrustStore(), CurlTrustStore(), GitTrustStore(), NSSTrustStore(), JavaTrustStore(),
        PythonTrustStore(), NodeTrustStore(),
    ]

    /// All trust stores found, each with its verdict.
    static func examine(_ inquiry: TrustInquiry) -> [TrustFinding] {
        stores.flatMap { $0.check(inquiry) }
    }
}

/// The result of checking one trust store.
struct TrustFinding: Sendable, Equatable {
    enum Verdict: Sendable, Equatable {
        /// Programs that use it accept proxyd's certificates.
        case trusts
        case doesNotTrust
        /// It could not be determined, for this reason.
        case unknown(String)
    }

    /// The program that uses it, such as `Chromium` or `curl`.
    var program: String
    /// Its location: a file, a directory or a variable.
    var location: String
    var verdict: Verdict
    /// The command that makes it trust the certificate, or nil if none is needed.
    var remedy: String?
}

protocol TrustStore: Sendable {
    /// Checks every existing store of this kind; returns none for programs that are not installed.
    func check(_ inquiry: TrustInquiry) -> [TrustFinding]
}

/// The certificate to check, and the system to check.
struct TrustInquiry: Sendable {
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

    var isInSystemBundle: Bool { isInBundle(systemPath(TrustInquiry.systemBundlePath)) ?? false }

    /// The remedy for a program that uses `location`: adding the certificate to the system's store
    /// if the program uses that, otherwise `command`, which points it there, preceded by adding the
    /// certificate if the system's store does not contain it yet.
    func remedy(of location: String, pointingToSystemBundle command: String) -> String {
        if location == systemPath(TrustInquiry.systemBundlePath) { return systemRemedy }
        return isInSystemBundle ? command : "\(systemRemedy) && \(command)"
    }

    /// The remedy for a program that a variable can point to the system's store.
    func remedy(of location: String, settingToSystemBundle variable: String) -> String {
        remedy(
            of: location,
            pointingToSystemBundle: "export \(variable)=\(TrustInquiry.systemBundlePath)")
    }
}

/// Reads the certificates of a PEM file (RFC 7468); anything else in it is ignored.
enum PEMBundle {
    /// The certificates in DER, in order.
    static func certificates(in bytes: [UInt8]) -> [[UInt8]] {
        var certificates: [[UInt8]] = []
        var base64: [UInt8]?
        for line in bytes.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            if isMark(line, "-----BEGIN CERTIFICATE-----")
                || isMark(line, "-----BEGIN TRUSTED CERTIFICATE-----")
            {
                base64 = []
            } else if line.starts(with: "-----".utf8) {
                if let text = base64, let der = decode(text) { certificates.append(der) }
                base64 = nil
            } else {
                base64?.append(contentsOf: line)
            }
        }
        return certificates
    }

    private static func isMark(_ line: ArraySlice<UInt8>, _ mark: String) -> Bool {
        line.starts(with: mark.utf8)
    }

    private static func decode(_ base64: [UInt8]) -> [UInt8]? {
        Data(base64Encoded: Data(base64), options: .ignoreUnknownCharacters).map { [UInt8]($0) }
    }
}

/// Quotes words in commands that users copy to a shell. This program itself runs no shell.
enum ShellQuoting {
    /// Joins words to a command, quoted if necessary.
    static func join(_ words: [String]) -> String {
        words.map(ShellWord.plainOrQuoted).joined(separator: " ")
    }
}

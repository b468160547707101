internal import FoundationEssentials

/// The system's trust store, which OpenSSL, GnuTLS and most command-line programs use.
struct SystemTrustStore: TrustStore {
    func check(_ inquiry: TrustInquiry) -> [TrustFinding] {
        var findings: [TrustFinding] = []
        let bundle = inquiry.systemPath(TrustInquiry.systemBundlePath)
        if FileManager.default.fileExists(atPath: bundle) {
            findings.append(
                finding(inquiry, "system store", bundle, inquiry.verdict(ofBundle: bundle)))
        }
        let directory = inquiry.systemPath("/etc/ssl/certs")
        if let verdict = verify(inquiry, directory) {
            findings.append(finding(inquiry, "OpenSSL", directory, verdict))
        }
        return findings
    }

    private func finding(
        _ inquiry: TrustInquiry, _ program: String, _ place: String,
        _ verdict: TrustFinding.Verdict
    ) -> TrustFinding {
        TrustFinding(
            program: program, place: place, verdict: verdict,
            remedy: verdict == .trusts ? nil : inquiry.systemRemedy)
    }

    /// Whether OpenSSL finds the certificate by its hash in the directory, as it does for
    /// verification; unknown if `openssl` is not installed.
    private func verify(_ inquiry: TrustInquiry, _ directory: String) -> TrustFinding.Verdict? {
        let runner = inquiry.environment.runner
        guard FileManager.default.fileExists(atPath: directory),
            let openssl = runner.find("openssl")
        else { return nil }
        let arguments = ["verify", "-no-CAfile", "-CApath", directory, inquiry.certificatePath]
        guard let result = runner.run(openssl, arguments) else {
            return .unknown("openssl gave no answer")
        }
        return result.exitCode == 0 ? .trusts : .doesNotTrust
    }
}

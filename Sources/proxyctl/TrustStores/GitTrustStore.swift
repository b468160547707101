/// git over HTTPS: its variable, its configuration, or else the system's bundle.
struct GitTrustStore: TrustStore {
    func check(_ inquiry: TrustInquiry) -> [TrustFinding] {
        let runner = inquiry.environment.runner
        guard let git = runner.find("git") else { return [] }
        let place =
            inquiry.variable("GIT_SSL_CAINFO") ?? configured(git, runner)
            ?? inquiry.systemPath(TrustInquiry.systemBundlePath)
        let verdict = inquiry.verdict(ofBundle: place)
        return [
            TrustFinding(
                program: "git", place: place, verdict: verdict,
                remedy: verdict == .trusts ? nil : remedy(inquiry, place))
        ]
    }

    private func configured(_ git: String, _ runner: any ProgramRunner) -> String? {
        let arguments = ["config", "--global", "--includes", "--get", "http.sslCAInfo"]
        guard let result = runner.run(git, arguments), result.exitCode == 0 else { return nil }
        return result.outputText.split(whereSeparator: \.isNewline).first.map(String.init)
    }

    private func remedy(_ inquiry: TrustInquiry, _ place: String) -> String {
        let setting =
            inquiry.variable("GIT_SSL_CAINFO") == nil
            ? "git config --global http.sslCAInfo " : "export GIT_SSL_CAINFO="
        return inquiry.remedy(
            of: place, pointingToSystemBundle: setting + TrustInquiry.systemBundlePath)
    }
}

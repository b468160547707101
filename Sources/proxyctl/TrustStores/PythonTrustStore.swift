/// Python: its `ssl` module, and `requests` with the bundle of `certifi`.
struct PythonTrustStore: TrustStore {
    /// Prints where this Python looks: the file and directory of `ssl`, the bundle of `certifi`.
    static let script = """
        import ssl
        paths = ssl.get_default_verify_paths()
        print("file", paths.cafile or "")
        print("directory", paths.capath or "")
        try:
            import certifi
            print("certifi", certifi.where())
        except Exception:
            pass
        """

    func check(_ inquiry: TrustInquiry) -> [TrustFinding] {
        let runner = inquiry.environment.runner
        guard let python = runner.find("python3"),
            let result = runner.run(python, ["-c", PythonTrustStore.script]), result.exitCode == 0
        else { return [] }
        let places = PythonTrustStore.parse(result.outputText)
        var findings = [sslFinding(inquiry, places)]
        if let certifi = places["certifi"] { findings.append(requestsFinding(inquiry, certifi)) }
        return findings
    }

    static func parse(_ text: String) -> [String: String] {
        var places: [String: String] = [:]
        for line in text.split(whereSeparator: \.isNewline) {
            let words = line.split(separator: " ", maxSplits: 1)
            if words.count == 2 { places[String(words[0])] = String(words[1]) }
        }
        return places
    }

    /// The default paths already respect `SSL_CERT_FILE` and `SSL_CERT_DIR`.
    private func sslFinding(_ inquiry: TrustInquiry, _ places: [String: String]) -> TrustFinding {
        let file = places["file"]
        var verdict = file.map { inquiry.verdict(ofBundle: $0) } ?? .doesNotTrust
        if verdict != .trusts, let directory = places["directory"],
            CertificateDirectory.holds(inquiry.certificate, directory)
        {
            verdict = .trusts
        }
        let place = file ?? places["directory"] ?? "no default store"
        return TrustFinding(
            program: "Python ssl", place: place, verdict: verdict,
            remedy: verdict == .trusts
                ? nil : inquiry.remedy(of: place, settingToSystemBundle: "SSL_CERT_FILE"))
    }

    /// `requests` uses its own variable, then curl's, then `certifi`.
    private func requestsFinding(_ inquiry: TrustInquiry, _ certifi: String) -> TrustFinding {
        let place =
            inquiry.variable("REQUESTS_CA_BUNDLE") ?? inquiry.variable("CURL_CA_BUNDLE")
            ?? certifi
        let verdict = inquiry.verdict(ofBundle: place)
        return TrustFinding(
            program: "Python requests", place: place, verdict: verdict,
            remedy: verdict == .trusts
                ? nil : inquiry.remedy(of: place, settingToSystemBundle: "REQUESTS_CA_BUNDLE"))
    }
}

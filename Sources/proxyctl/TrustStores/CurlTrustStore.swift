internal import FoundationEssentials

/// curl: its variables, its configuration file, or else the system's bundle.
struct CurlTrustStore: TrustStore {
    func check(_ inquiry: TrustInquiry) -> [TrustFinding] {
        guard inquiry.environment.runner.find("curl") != nil else { return [] }
        let place =
            configured(inquiry) ?? inquiry.variable("CURL_CA_BUNDLE")
            ?? inquiry.variable("SSL_CERT_FILE")
            ?? inquiry.systemPath(TrustInquiry.systemBundlePath)
        let verdict = inquiry.verdict(ofBundle: place)
        return [
            TrustFinding(
                program: "curl", place: place, verdict: verdict,
                remedy: verdict == .trusts
                    ? nil : inquiry.remedy(of: place, settingToSystemBundle: "CURL_CA_BUNDLE"))
        ]
    }

    /// The value of `cacert` in `~/.curlrc`, which takes precedence over the variables.
    private func configured(_ inquiry: TrustInquiry) -> String? {
        guard let path = inquiry.homePath(".curlrc"),
            let bytes = FileManager.default.contents(atPath: path)
        else { return nil }
        return CurlTrustStore.bundle(inConfiguration: String(decoding: bytes, as: UTF8.self))
    }

    static func bundle(inConfiguration text: String) -> String? {
        for line in text.split(whereSeparator: \.isNewline) {
            let words = line.split(maxSplits: 1) { " \t=:".contains($0) }
            guard words.count == 2, words[0] == "cacert" || words[0] == "--cacert" else { continue }
            return words[1].trimming { " \t=:\"".contains($0) }
        }
        return nil
    }
}

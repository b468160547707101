internal import ProxydCurlCommand
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
        _ inquiry: TrustInquiry, _ program: String, _ location: String,
        _ verdict: TrustFinding.Verdict
    ) -> TrustFinding {
        TrustFinding(
            program: program, location: location, verdict: verdict,
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

/// curl: its variables, its configuration file, or else the system's bundle.
struct CurlTrustStore: TrustStore {
    func check(_ inquiry: TrustInquiry) -> [TrustFinding] {
        guard inquiry.environment.runner.find("curl") != nil else { return [] }
        let location =
            configured(inquiry) ?? inquiry.variable("CURL_CA_BUNDLE")
            ?? inquiry.variable("SSL_CERT_FILE")
            ?? inquiry.systemPath(TrustInquiry.systemBundlePath)
        let verdict = inquiry.verdict(ofBundle: location)
        return [
            TrustFinding(
                program: "curl", location: location, verdict: verdict,
                remedy: verdict == .trusts
                    ? nil : inquiry.remedy(of: location, settingToSystemBundle: "CURL_CA_BUNDLE"))
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

/// git over HTTPS: its variable, its configuration, or else the system's bundle.
struct GitTrustStore: TrustStore {
    func check(_ inquiry: TrustInquiry) -> [TrustFinding] {
        let runner = inquiry.environment.runner
        guard let git = runner.find("git") else { return [] }
        let location =
            inquiry.variable("GIT_SSL_CAINFO") ?? configured(git, runner)
            ?? inquiry.systemPath(TrustInquiry.systemBundlePath)
        let verdict = inquiry.verdict(ofBundle: location)
        return [
            TrustFinding(
                program: "git", location: location, verdict: verdict,
                remedy: verdict == .trusts ? nil : remedy(inquiry, location))
        ]
    }

    private func configured(_ git: String, _ runner: any ProgramRunner) -> String? {
        let arguments = ["config", "--global", "--includes", "--get", "http.sslCAInfo"]
        guard let result = runner.run(git, arguments), result.exitCode == 0 else { return nil }
        return result.outputText.split(whereSeparator: \.isNewline).first.map(String.init)
    }

    private func remedy(_ inquiry: TrustInquiry, _ location: String) -> String {
        let setting =
            inquiry.variable("GIT_SSL_CAINFO") == nil
            ? "git config --global http.sslCAInfo " : "export GIT_SSL_CAINFO="
        return inquiry.remedy(
            of: location, pointingToSystemBundle: setting + TrustInquiry.systemBundlePath)
    }
}

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
        let location = file ?? places["directory"] ?? "no default store"
        return TrustFinding(
            program: "Python ssl", location: location, verdict: verdict,
            remedy: verdict == .trusts
                ? nil : inquiry.remedy(of: location, settingToSystemBundle: "SSL_CERT_FILE"))
    }

    /// `requests` uses its own variable, then curl's, then `certifi`.
    private func requestsFinding(_ inquiry: TrustInquiry, _ certifi: String) -> TrustFinding {
        let location =
            inquiry.variable("REQUESTS_CA_BUNDLE") ?? inquiry.variable("CURL_CA_BUNDLE") ?? certifi
        let verdict = inquiry.verdict(ofBundle: location)
        return TrustFinding(
            program: "Python requests", location: location, verdict: verdict,
            remedy: verdict == .trusts
                ? nil : inquiry.remedy(of: location, settingToSystemBundle: "REQUESTS_CA_BUNDLE"))
    }
}

/// Node: certificates compiled in, plus those added by its options and variables.
struct NodeTrustStore: TrustStore {
    /// Prints the certificates that Node trusts. `getCACertificates` (22.15) returns all of them;
    /// before that, a build or an option that uses OpenSSL's store is visible in the configuration.
    static let script = """
        const tls = require('tls');
        const print = (list) => list.forEach((pem) => console.log(pem));
        if (tls.getCACertificates) {
          print(tls.getCACertificates('default'));
        } else {
          const options = [...process.execArgv, ...(process.env.NODE_OPTIONS || '').split(' ')];
          const built = process.config.variables.openssl_use_def_ca_store;
          const asked = options.includes('--use-openssl-ca');
          console.log('store', built || asked ? 'openssl' : 'bundled');
        }
        """

    func check(_ inquiry: TrustInquiry) -> [TrustFinding] {
        let runner = inquiry.environment.runner
        guard let node = runner.find("node") ?? runner.find("nodejs"),
            let result = runner.run(node, ["-e", NodeTrustStore.script]), result.exitCode == 0
        else { return [] }
        let location = self.location(inquiry, result)
        let verdict: TrustFinding.Verdict = trusts(inquiry, result) ? .trusts : .doesNotTrust
        return [
            TrustFinding(
                program: "Node", location: location, verdict: verdict,
                remedy: verdict == .trusts ? nil : remedy(inquiry))
        ]
    }

    private func usesOpenSSLStore(_ result: ProgramResult) -> Bool {
        result.outputText.hasPrefix("store openssl")
    }

    private func location(_ inquiry: TrustInquiry, _ result: ProgramResult) -> String {
        if let extra = inquiry.variable("NODE_EXTRA_CA_CERTS") { return extra }
        return usesOpenSSLStore(result) ? openSSLBundle(inquiry) : "certificates compiled in"
    }

    private func openSSLBundle(_ inquiry: TrustInquiry) -> String {
        inquiry.variable("SSL_CERT_FILE") ?? inquiry.systemPath(TrustInquiry.systemBundlePath)
    }

    private func trusts(_ inquiry: TrustInquiry, _ result: ProgramResult) -> Bool {
        if PEMBundle.certificates(in: result.output).contains(inquiry.certificate) { return true }
        if let extra = inquiry.variable("NODE_EXTRA_CA_CERTS"), inquiry.isInBundle(extra) == true {
            return true
        }
        return usesOpenSSLStore(result) && inquiry.isInBundle(openSSLBundle(inquiry)) == true
    }

    /// The variable adds to the compiled-in certificates, so this one certificate is enough.
    private func remedy(_ inquiry: TrustInquiry) -> String {
        "export NODE_EXTRA_CA_CERTS=\(ShellWord.plainOrQuoted(inquiry.certificatePath))"
    }
}

/// The key stores of Java installations, read with their `keytool`.
struct JavaTrustStore: TrustStore {
    /// The default password of every Java's `cacerts`; it protects nothing.
    private static let password = "changeit"

    func check(_ inquiry: TrustInquiry) -> [TrustFinding] {
        var seen: Set<String> = []
        return homes(inquiry).compactMap { home in
            let store =
                resolved("\(home)/lib/security/cacerts")
                ?? resolved("\(home)/jre/lib/security/cacerts")
            guard let store, seen.insert(store).inserted else { return nil }
            return finding(inquiry, store, home: home)
        }
    }

    private func finding(_ inquiry: TrustInquiry, _ store: String, home: String) -> TrustFinding {
        let runner = inquiry.environment.runner
        let own = "\(home)/bin/keytool"
        let isOwn = FileManager.default.isExecutableFile(atPath: own)
        let verdict: TrustFinding.Verdict
        if let keytool = isOwn ? own : runner.find("keytool") {
            verdict = self.verdict(inquiry, keytool: keytool, store)
        } else {
            verdict = .unknown("keytool is not installed")
        }
        return TrustFinding(
            program: "Java", location: store, verdict: verdict,
            remedy: verdict == .trusts ? nil : remedy(inquiry, store))
    }

    private func verdict(
        _ inquiry: TrustInquiry, keytool: String, _ store: String
    ) -> TrustFinding.Verdict {
        let arguments = [
            "-list", "-rfc", "-keystore", store, "-storepass", JavaTrustStore.password,
        ]
        guard let result = inquiry.environment.runner.run(keytool, arguments),
            result.exitCode == 0
        else { return .unknown("keytool cannot read the key store") }
        let isThere = PEMBundle.certificates(in: result.output).contains(inquiry.certificate)
        return isThere ? .trusts : .doesNotTrust
    }

    /// Debian has one key store for all Java installations, filled from the system's.
    private func remedy(_ inquiry: TrustInquiry, _ store: String) -> String {
        if store.hasPrefix(inquiry.systemPath("/etc/ssl/certs/java")) {
            return inquiry.isInSystemBundle
                ? "sudo update-ca-certificates --fresh" : inquiry.systemRemedy
        }
        return ShellQuoting.join([
            "sudo", "keytool", "-importcert", "-noprompt", "-trustcacerts", "-keystore", store,
            "-storepass", JavaTrustStore.password, "-alias", inquiry.nickname,
            "-file", inquiry.certificatePath,
        ])
    }

    /// The locations of Java installations: `JAVA_HOME`, the search path, Debian, SDKMAN.
    private func homes(_ inquiry: TrustInquiry) -> [String] {
        var homes: [String] = []
        if let home = inquiry.variable("JAVA_HOME") { homes.append(home) }
        if let java = inquiry.environment.runner.find("java"), let real = resolved(java) {
            homes.append(String(real.dropLast("/bin/java".count)))
        }
        let parents =
            [inquiry.systemPath("/usr/lib/jvm")]
            + [inquiry.homePath(".sdkman/candidates/java")].compactMap { $0 }
        for parent in parents {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
            homes += names.sorted().map { "\(parent)/\($0)" }
        }
        return homes
    }

    /// A path without symbolic links, or nil if nothing exists there.
    private func resolved(_ path: String) -> String? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        return URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    }
}

/// A directory in which OpenSSL finds certificates by hash, as in `1a2b3c4d.0`.
enum CertificateDirectory {
    /// Whether a hash link in the directory leads to the certificate.
    static func holds(_ certificate: [UInt8], _ directory: String) -> Bool {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return names.contains { name in
            guard isHashName(name),
                let bytes = FileManager.default.contents(atPath: "\(directory)/\(name)")
            else { return false }
            return PEMBundle.certificates(in: [UInt8](bytes)).contains(certificate)
        }
    }

    private static func isHashName(_ name: String) -> Bool {
        let parts = name.split(separator: ".")
        return parts.count == 2 && parts[0].count == 8 && parts[0].allSatisfy(\.isHexDigit)
            && parts[1].allSatisfy(\.isNumber)
    }
}

extension StringProtocol {
    /// The text without such characters at its start and its end.
    func trimming(_ isTrimmed: (Character) -> Bool) -> String {
        guard let start = firstIndex(where: { !isTrimmed($0) }),
            let last = lastIndex(where: { !isTrimmed($0) })
        else { return "" }
        return String(self[start...last])
    }
}

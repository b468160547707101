internal import FoundationEssentials

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
            program: "Java", place: store, verdict: verdict,
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

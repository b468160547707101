internal import ProxydExchangeContent
internal import ProxydPresentation
internal import ProxydCivilTime
internal import ProxydInterchange
internal import ProxydParameterCoding
internal import ProxydTLS

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
            ("program", .string(finding.program)), ("place", .string(finding.place)),
            ("trusts", trusts(finding)), ("reason", reason(finding)),
            ("command", .text(finding.remedy)),
        ])
    }

    private static func row(_ finding: TrustFinding) -> [StyledText] {
        let mark: StyledText
        var place = StyledText(finding.place)
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

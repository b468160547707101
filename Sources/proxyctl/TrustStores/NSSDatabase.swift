internal import FoundationEssentials

/// A certificate database of Mozilla's NSS, read and changed with `certutil`.
struct NSSDatabase: Sendable, Equatable {
    /// The program it belongs to, such as `Chromium` or `Firefox (default-release)`.
    let program: String
    /// Its directory, which contains `cert9.db`.
    let path: String

    /// All databases of a home directory: Chromium and related browsers, Firefox and Thunderbird
    /// profiles, including those of Snap and Flatpak.
    static func all(home: String) -> [NSSDatabase] {
        let shared = [
            ("Chromium", ".pki/nssdb"),
            ("Chromium", ".local/share/pki/nssdb"),
            ("Chromium (Snap)", "snap/chromium/current/.pki/nssdb"),
            ("Chromium (Flatpak)", ".var/app/org.chromium.Chromium/data/pki/nssdb"),
            ("Chrome (Flatpak)", ".var/app/com.google.Chrome/data/pki/nssdb"),
        ].map { NSSDatabase(program: $0.0, path: "\(home)/\($0.1)") }
        let profiles = [
            ("Firefox", ".mozilla/firefox"),
            ("Firefox", ".config/mozilla/firefox"),
            ("Firefox (Snap)", "snap/firefox/common/.mozilla/firefox"),
            ("Firefox (Flatpak)", ".var/app/org.mozilla.firefox/.mozilla/firefox"),
            ("LibreWolf", ".librewolf"),
            ("Thunderbird", ".thunderbird"),
        ].flatMap { profilesOf($0.0, in: "\(home)/\($0.1)") }
        return (shared + profiles).filter {
            FileManager.default.fileExists(atPath: $0.path + "/cert9.db")
        }
    }

    private static func profilesOf(_ program: String, in directory: String) -> [NSSDatabase] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return names.sorted().map { name in
            // A profile's directory is `RANDOM.NAME`.
            let shown = name.split(separator: ".", maxSplits: 1).last.map(String.init) ?? name
            return NSSDatabase(program: "\(program) \(shown)", path: "\(directory)/\(name)")
        }
    }

    /// The nicknames in a listing, each with whether it is trusted to sign server certificates.
    static func parseListing(_ text: String) -> [(nickname: String, isTrusted: Bool)] {
        text.split(whereSeparator: \.isNewline).compactMap { padded in
            let line = padded.trimming(\.isWhitespace)
            guard let space = line.lastIndex(of: " ") else { return nil }
            let flags = line[line.index(after: space)...].split(
                separator: ",", omittingEmptySubsequences: false)
            let isListing =
                flags.count == 3 && flags.joined().allSatisfy { "pPcCTuwG".contains($0) }
            guard isListing, let first = flags.first else { return nil }
            let nickname = line[..<space].trimming(\.isWhitespace)
            return (nickname, first.contains("C"))
        }
    }

    private var location: [String] { ["-d", "sql:\(path)"] }

    /// Whether the database contains the certificate and trusts it to sign server certificates.
    func verdict(_ inquiry: TrustInquiry, certutil: String) -> TrustFinding.Verdict {
        let runner = inquiry.environment.runner
        guard let listing = runner.run(certutil, ["-L"] + location), listing.exitCode == 0 else {
            return .unknown("certutil cannot read the database")
        }
        for entry in NSSDatabase.parseListing(listing.outputText) where entry.isTrusted {
            let arguments = ["-L", "-a", "-n", entry.nickname] + location
            guard let shown = runner.run(certutil, arguments) else { continue }
            if PEMBundle.certificates(in: shown.output).contains(inquiry.certificate) {
                return .trusts
            }
        }
        return .doesNotTrust
    }

    /// The arguments that add the certificate as trusted for servers.
    func addition(_ inquiry: TrustInquiry) -> [String] {
        ["-A"] + location + ["-n", inquiry.nickname, "-t", "C,,", "-i", inquiry.certificatePath]
    }

    /// The arguments that remove it.
    func removal(_ inquiry: TrustInquiry) -> [String] {
        ["-D"] + location + ["-n", inquiry.nickname]
    }
}

/// The databases of browsers with their own trust stores: Chromium-based ones and Mozilla's.
struct NSSTrustStore: TrustStore {
    func check(_ inquiry: TrustInquiry) -> [TrustFinding] {
        guard let home = inquiry.environment.home else { return [] }
        let certutil = inquiry.environment.runner.find("certutil")
        return NSSDatabase.all(home: home).map { database in
            let verdict =
                certutil.map { database.verdict(inquiry, certutil: $0) }
                ?? .unknown("certutil is not installed")
            return TrustFinding(
                program: database.program, location: database.path, verdict: verdict,
                remedy: remedy(inquiry, database, verdict, isInstalled: certutil != nil))
        }
    }

    private func remedy(
        _ inquiry: TrustInquiry, _ database: NSSDatabase, _ verdict: TrustFinding.Verdict,
        isInstalled: Bool
    ) -> String? {
        guard verdict != .trusts else { return nil }
        let addition = ShellQuoting.join(["certutil"] + database.addition(inquiry))
        return isInstalled ? addition : "sudo apt-get install libnss3-tools && \(addition)"
    }
}

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
                program: database.program, place: database.path, verdict: verdict,
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

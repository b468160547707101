/// The result of checking one trust store.
struct TrustFinding: Sendable, Equatable {
    enum Verdict: Sendable, Equatable {
        /// Programs that use it accept proxyd's certificates.
        case trusts
        /// Programs that use it reject them.
        case doesNotTrust
        /// It could not be determined, for this reason.
        case unknown(String)
    }

    /// The program that uses it, such as `Chromium` or `curl`.
    var program: String
    /// Its location: a file, a directory or a variable.
    var place: String
    var verdict: Verdict
    /// The command that makes it trust the certificate, or nil if none is needed.
    var remedy: String?
}

/// A kind of trust store.
protocol TrustStore: Sendable {
    /// Checks every existing store of this kind; returns none for programs that are not installed.
    func check(_ inquiry: TrustInquiry) -> [TrustFinding]
}

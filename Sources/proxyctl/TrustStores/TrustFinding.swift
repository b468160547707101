/// What was found out about one place that decides whom a program trusts.
struct TrustFinding: Sendable, Equatable {
    enum Verdict: Sendable, Equatable {
        /// Programs that use it accept our certificates.
        case trusts
        /// They do not.
        case doesNotTrust
        /// It could not be found out, for this reason.
        case unknown(String)
    }

    /// Who uses it: `Chromium`, `curl`.
    var program: String
    /// Where it is: a file, a directory or a variable.
    var place: String
    var verdict: Verdict
    /// The command that makes it trust the certificate; nil where none is needed.
    var remedy: String?
}

/// A kind of place that decides whom programs trust.
protocol TrustStore: Sendable {
    /// Looks at every such place that exists; none for programs that are not installed.
    func check(_ inquiry: TrustInquiry) -> [TrustFinding]
}

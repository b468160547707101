/// Why a chain did not stand verification, and which of its certificates is to blame.
public struct VerificationFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong.
    public let problem: CertificateProblem
    /// The certificate that is to blame; nil where there is none, as in an empty chain.
    public let certificate: CertificateSummary?
    /// Its place: 0 for the server's own, 1 for its issuer's, and so on.
    public let depth: Int

    /// The problem's message.
    public var description: String { problem.message }
}

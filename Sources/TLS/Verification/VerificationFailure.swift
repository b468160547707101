/// Why a chain failed verification, and which certificate caused it.
public struct VerificationFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The problem that verification found.
    public let problem: CertificateProblem
    /// The certificate that caused the failure; nil if there is none, as in an empty chain.
    public let certificate: CertificateSummary?
    /// The certificate's depth: 0 for the server's own, 1 for its issuer's, and so on.
    public let depth: Int

    /// The problem's message.
    public var description: String { problem.message }
}

/// Checks every trust store on the system for the authority's certificate.
struct TrustDoctor: Sendable {
    private static let stores: [any TrustStore] = [
        SystemTrustStore(), CurlTrustStore(), GitTrustStore(), NSSTrustStore(), JavaTrustStore(),
        PythonTrustStore(), NodeTrustStore(),
    ]

    /// All trust stores found, each with its verdict.
    static func examine(_ inquiry: TrustInquiry) -> [TrustFinding] {
        stores.flatMap { $0.check(inquiry) }
    }
}

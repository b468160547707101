/// Asks every trust store on the system about the authority's certificate.
struct TrustDoctor: Sendable {
    private static let stores: [any TrustStore] = [
        SystemTrustStore(), CurlTrustStore(), GitTrustStore(), NSSTrustStore(), JavaTrustStore(),
        PythonTrustStore(), NodeTrustStore(),
    ]

    /// Every place found, with its verdict.
    static func examine(_ inquiry: TrustInquiry) -> [TrustFinding] {
        stores.flatMap { $0.check(inquiry) }
    }
}

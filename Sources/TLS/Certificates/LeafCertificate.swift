/// A certificate for a server's name, with the key that goes with it.
struct LeafCertificate: Sendable {
    let certificate: Certificate
    /// Sent along, each signed by the next one.
    var intermediates: [Certificate] = []
    let key: PrivateKey
    let validity: CertificateBuilder.Validity
}

/// A server certificate with its private key.
struct LeafCertificate: Sendable {
    let certificate: Certificate
    /// Certificates to send along, each signed by the next one.
    var intermediates: [Certificate] = []
    let key: PrivateKey
    let validity: CertificateBuilder.Validity
}

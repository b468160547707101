internal import HTTPModel
internal import TLS

extension ConnectionRecord.Security {
    /// What is recorded of a TLS session.
    init(_ facts: TLSFacts) {
        self.init(
            version: facts.version, cipher: facts.cipher, alpn: facts.alpn,
            serverName: facts.serverName, peerCertificates: facts.peerCertificates,
            isResumed: facts.isResumed)
    }
}

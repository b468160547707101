public import ProxydHTTPModel
public import ProxydTLS

extension ConnectionRecord.Security {
    /// Creates the recorded form of a TLS session.
    public init(of facts: TLSFacts) {
        self.init(
            version: facts.version, cipher: facts.cipher, alpn: facts.alpn,
            serverName: facts.serverName, peerCertificates: facts.peerCertificates,
            isResumed: facts.isResumed)
        requestedAuthorities = facts.certificateRequest?.authorities
        showsClientCertificate = facts.certificateRequest?.isAnswered ?? false
    }
}

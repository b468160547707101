import ProxydTestSupport
import Testing

@testable import ProxydTLS

/// Texts that hold certificates and keys, among other things.
struct PEMTests {
    private let issuer: TestIssuer
    private let pem: [UInt8]

    init() throws {
        issuer = try TestIssuer()
        pem = issuer.certificate.pem
    }

    private func found(_ text: [UInt8]) -> Int { PEM.certificates(in: text).count }

    @Test func `certificates in PEM text are found in order, with any text between them`() throws {
        let other = try TestIssuer().certificate
        let text = Array("# mine\r\n\n".utf8) + pem + Array("text between\n".utf8) + other.pem
        #expect(PEM.certificates(in: text).map(\.der) == [issuer.certificate.der, other.der])
        let windows = String(decoding: pem, as: UTF8.self).replacing("\n", with: "\r\n")
        #expect(PEM.certificates(in: Array(windows.utf8)).map(\.der) == [issuer.certificate.der])
    }

    @Test func `certificates after a broken one in PEM text are not read`() {
        let text = String(decoding: pem, as: UTF8.self)
        let broken = Array(text.replacing("MI", with: "!!", maxReplacements: 1).utf8)
        #expect(found(broken) == 0 && found(broken + pem) == 0 && found(pem + broken + pem) == 1)
    }

    @Test func `a truncated PEM certificate is not read and does not crash the parser`() {
        for end in stride(from: 0, to: pem.count - 27, by: 7) {
            #expect(found(Array(pem[..<end])) == 0)
        }
        #expect(found([]) == 0 && found([0]) == 0)
        #expect(found([UInt8](repeating: 0x2D, count: 100_000)) == 0)
        #expect(PEM.privateKey(in: pem) == nil)
    }

    @Test func `DER data is read as a certificate only if it is exactly one certificate`() {
        let der = issuer.certificate.der
        #expect(Certificate(der: der)?.fingerprint == issuer.certificate.fingerprint)
        #expect(
            Certificate(der: der + [0]) == nil && Certificate(der: Array(der.dropLast())) == nil)
        #expect(Certificate(der: []) == nil && Certificate(der: pem) == nil)
        #expect(Certificate(der: [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF]) == nil)
    }

    @Test(.enabled(if: OpenSSLTool.path != nil, "the openssl program is not installed"))
    func `an encrypted private key in PEM text is rejected`() throws {
        let folder = try ScratchFolder()
        let kind = "-algorithm EC -pkeyopt ec_paramgen_curve:P-256"
        try OpenSSLTool.run("genpkey \(kind) -out open.pem", in: folder.path)
        try OpenSSLTool.run(
            "pkey -in open.pem -aes-128-cbc -passout pass:secret -out closed.pem", in: folder.path)
        let (open, closed) = (
            try folder.content(of: "open.pem"), try folder.content(of: "closed.pem")
        )
        #expect(PEM.privateKey(in: open) != nil && PEM.privateKey(in: pem + open) != nil)
        #expect(String(decoding: closed, as: UTF8.self).contains("ENCRYPTED"))
        #expect(PEM.privateKey(in: closed) == nil)
    }
}

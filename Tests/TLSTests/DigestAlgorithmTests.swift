import ProxydTLS
import Testing

struct DigestAlgorithmTests {
    @Test(arguments: [
        (DigestAlgorithm.md5, "900150983cd24fb0d6963f7d28e17f72"),
        (.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (.sha512t256, "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23"),
    ])
    func `MD5, SHA-256 and SHA-512/256 digests equal the examples in the standards`(
        algorithm: DigestAlgorithm, digest: String
    ) {
        let bytes = algorithm.digest(of: Array("abc".utf8)) ?? []
        let text = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        #expect(text == digest)
    }
}

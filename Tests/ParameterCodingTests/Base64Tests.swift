import Foundation
import ProxydParameterCoding
import ProxydTestSupport
import Testing

@Suite struct Base64Tests {
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
        ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
    ])
    func `the Base64 vectors of RFC 4648 are encoded, and decoded even with white space added`(
        plain: String, text: String
    ) {
        #expect(Base64.text(Array(plain.utf8)) == text)
        #expect(Base64.bytes(text) == Array(plain.utf8))
        #expect(Base64.bytes(" \r\n" + text + "\t\n") == Array(plain.utf8))
    }

    @Test(arguments: [
        "Z", "Zg", "Zg=", "Zg===", "Zm9v=", "Z=g=", "Zm9v!", "Zm-_", "====", "Zg==Zg==",
    ])
    func `strings that are not valid Base64 are rejected`(text: String) {
        #expect(Base64.bytes(text) == nil)
    }

    @Test
    func `random bytes are encoded in Base64 exactly as Foundation encodes them and decoded back`()
    {
        var random = SplitMix(seed: 64)
        for count in 0..<200 {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            let text = Base64.text(bytes)
            #expect(text == Data(bytes).base64EncodedString())
            #expect(Base64.bytes(text) == bytes)
        }
    }

    @Test func `characters outside the Base64 alphabet are skipped in a base64 multipart part`() {
        let content = Array("Zm9v\r\n-Ym!Fy==rest".utf8)
        #expect(PartTransferEncoding.base64.decoded(content) == Array("foobar".utf8))
        #expect(PartTransferEncoding.base64.decoded(Array("Zg".utf8)) == Array("f".utf8))
        #expect(PartTransferEncoding.base64.decoded(Array("Z".utf8)) == [])
    }
}

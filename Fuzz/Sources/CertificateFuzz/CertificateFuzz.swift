internal import FuzzSupport
internal import ProxydTLS

/// Certificates of servers: what is shown of them is fit for a terminal, whatever is in them.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(FuzzInput(start, count).rest)
    guard let summary = CertificateSummary(der: bytes) else { return 0 }
    for text in [summary.subject, summary.issuer] + summary.alternativeNames {
        require(text.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "a name is not printable")
    }
    require(summary.subject.utf8.count <= 256, "a name is longer than anybody wants to read")
    require(
        summary.fingerprint.count == 32 && summary.fingerprintText.utf8.count == 95,
        "a fingerprint of another length")
    require(!summary.pem.isEmpty, "a certificate that cannot be written")
    return 0
}

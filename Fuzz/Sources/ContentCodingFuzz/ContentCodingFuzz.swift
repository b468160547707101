internal import ProxydContentCoding
internal import FuzzSupport

/// Content codings: bounded, and the same however the bytes are cut.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = FuzzInput(start, count)
    let names = [
        "gzip", "deflate", "br", "zstd", "gzip, br", "deflate, gzip", "zstd, zstd", "br, deflate",
        "gzip, gzip, gzip", "identity", "gzip, zstd", "aws-chunked", "aws-chunked, gzip",
        "utf-8, br",
    ]
    let contentEncoding = names[Int(input.choice()) % names.count]
    let cuts = input.choice()
    let bytes = Array(input.rest)
    // Small, so that bombs are cheap to defuse.
    let limits = DecodingLimits(
        decodedByteCountMax: 256 << 10, ratioMax: 50, slackByteCount: 16 << 10)
    let whole = ContentDecoder.decode(
        bytes.span, contentEncoding: contentEncoding, limits: limits)
    let cut = decodePieces(Cuts.pieces(of: bytes, choice: cuts), contentEncoding, limits)
    for byteCount in [whole.bytes.count, cut.bytes.count] {
        let allowance = 50 * bytes.count + (16 << 10)
        require(byteCount <= min(256 << 10, allowance), "more than the limit comes out")
    }
    let commonByteCount = min(whole.bytes.count, cut.bytes.count)
    require(
        whole.bytes.prefix(commonByteCount) == cut.bytes.prefix(commonByteCount),
        "cutting changes what comes out")
    // What a piece may decode to depends on the bytes until then.
    if case .overLimit? = cut.failure { return 0 }
    if case .overLimit? = whole.failure { return 0 }
    // libzstd holds a frame to the size it announces only where the whole of it comes at once, and a
    // block to the size of the window only where it comes in pieces.
    if whole.failure == .corruptInput(.zstd) { return 0 }
    if cut.failure == .corruptInput(.zstd) { return 0 }
    // Where two layers fail, it depends on the cuts which one is the first to notice.
    let isSameFailure =
        contentEncoding.contains(",")
        ? (whole.failure == nil) == (cut.failure == nil) : whole.failure == cut.failure
    require(
        isSameFailure,
        "cutting changes the end: \(String(describing: whole.failure))"
            + " \(String(describing: cut.failure))")
    require(
        whole.failure != nil || whole.bytes.count == cut.bytes.count, "cutting loses bytes")
    return 0
}

/// Decodes pieces one after the other.
private func decodePieces(
    _ pieces: [[UInt8]], _ contentEncoding: String, _ limits: DecodingLimits
) -> (bytes: [UInt8], failure: ContentCodingError?) {
    var output: [UInt8] = []
    do throws(ContentCodingError) {
        let decoder = try ContentDecoder(contentEncoding: contentEncoding, limits: limits)
        for piece in pieces { try decoder.decode(piece.span, into: &output) }
        try decoder.finish(into: &output)
        require(decoder.decodedByteCount == output.count, "the count is wrong")
        return (output, nil)
    } catch {
        return (output, error)
    }
}

internal import FuzzSupport
internal import ProxydParameterCoding

/// Multipart bodies: taken apart alike however they are cut. The input's first line is the
/// boundary, the rest the body.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = FuzzInput(start, count)
    let settings = input.choice()
    let cuts = input.choice()
    let boundary = input.line()
    let body = Array(input.rest)
    let limits =
        settings & 0x01 == 0
        ? MultipartLimits() : MultipartLimits(partCountMax: 2, headByteCountMax: 48)
    guard let decoder = try? MultipartDecoder(boundary: boundary, limits: limits) else { return 0 }
    let whole = MultipartTranscript(decoder, pieces: [body])
    let cut = MultipartTranscript(decoder, pieces: Cuts.pieces(of: body, choice: cuts))
    require(whole == cut, "cutting the input changes what is read: \(whole) \(cut)")
    whole.check(limits, bodyByteCount: body.count)
    return 0
}

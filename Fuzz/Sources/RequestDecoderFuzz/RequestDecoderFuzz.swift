internal import FuzzSupport
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import WireSupport

/// Requests: read alike however they are cut, and forwarded as what they were.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = FuzzInput(start, count)
    let settings = input.choice()
    let cuts = input.choice()
    let bytes = Array(input.rest)
    let limits = WireLimits.chosen(by: settings)
    let whole = WireTranscript(RequestReader(limits: limits), pieces: [bytes]).events
    let pieces = Cuts.pieces(of: bytes, choice: cuts)
    let cut = WireTranscript(RequestReader(limits: limits), pieces: pieces).events
    require(whole == cut, "cutting the input changes what is read: \(whole) \(cut)")
    for case .head(let head, _) in whole { checkHead(head, limits: limits) }
    for message in WireMessage.complete(in: whole) {
        ForwardedRequestCheck(message, settings: settings).run()
    }
    _ = HeadParser.salvageRequestLine(bytes, limits: limits)
    return 0
}

private func checkHead(_ head: RequestHead, limits: WireLimits) {
    FieldChecks.checkWellFormed(head.fields)
    require(
        (try? HeadParser.parseRequestHead(head.bytes, limits: limits)) == head,
        "a head alone is another than in a stream")
    let salvaged = HeadParser.salvageRequestLine(head.bytes, limits: limits)
    require(
        salvaged.method == head.method && salvaged.target == Array(head.target),
        "a request line is salvaged as another")
    _ = (head.isPersistent, head.expectsContinue, head.upgradeProtocols)
}

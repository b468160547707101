internal import FuzzSupport
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import WireSupport

/// Responses: read alike however they are cut, and forwarded as what they were.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = FuzzInput(start, count)
    let settings = input.choice()
    let cuts = input.choice()
    let bytes = Array(input.rest)
    let limits = WireLimits.chosen(by: settings)
    let method = [HTTPMethod.get, .head, .connect, .post][Int(settings & 0x03)]
    let reader = ResponseReader(method: method, limits: limits)
    let whole = WireTranscript(reader, pieces: [bytes]).events
    let cut = WireTranscript(reader, pieces: Cuts.pieces(of: bytes, choice: cuts)).events
    require(whole == cut, "cutting the input changes what is read: \(whole) \(cut)")
    let check = ForwardedResponseCheck(requestMethod: method, settings: settings)
    for event in whole {
        switch event {
        case .informational(let head), .head(let head, _): checkHead(head, limits: limits)
        default: break
        }
        switch event {
        case .informational(let head): check.runInterim(head)
        // A tunnel follows the head, and the message has no end.
        case .head(let head, .none): check.runBodiless(head)
        default: break
        }
    }
    for message in WireMessage.complete(in: whole) { check.run(message) }
    return 0
}

private func checkHead(_ head: ResponseHead, limits: WireLimits) {
    FieldChecks.checkWellFormed(head.fields)
    require((100...999).contains(head.status), "a status of \(head.status)")
    require(
        (try? HeadParser.parseResponseHead(head.bytes, limits: limits, mayLackEmptyLine: true))
            == head, "a head alone is another than in a stream")
    _ = (head.isPersistent, head.upgradeProtocols, head.reason)
}

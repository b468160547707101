internal import FuzzSupport
internal import StreamSupport

/// The client's side of HTTP/1 against servers that say and do anything at any moment: what is
/// handed over is what was sent, each request ends once, nothing is left over.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = FuzzInput(start, count)
    let settings = input.choice()
    let cuts = input.choice()
    let script = StreamScript(input.rest)
    FuzzLoop.play(
        { TransportRun(loop: $0, settings: settings, cuts: cuts, script: script) },
        step: { $0.step() })
    return 0
}

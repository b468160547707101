internal import FuzzSupport
internal import StreamSupport

/// The proxy's layers between a client and servers that say and do anything at any moment: what
/// goes out is HTTP, every exchange ends once, nothing is left over.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = FuzzInput(start, count)
    let settings = input.choice()
    let cuts = input.choice()
    let script = StreamScript(input.rest)
    FuzzLoop.play(
        { LayerRun(loop: $0, settings: settings, cuts: cuts, script: script) },
        step: { $0.step() })
    return 0
}

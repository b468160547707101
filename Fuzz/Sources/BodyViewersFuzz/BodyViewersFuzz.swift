internal import FuzzSupport

@testable internal import ProxydPresentation
@testable internal import ProxydTUI

/// Bodies of any bytes in every viewer that suits them, on screens of any size, with keys pressed:
/// nothing traps, and nothing reaches the screen but what a terminal may show.
///
/// The first bytes choose the screen and the number of keys, then the keys follow, then a line
/// with the Content-Type, then the body.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = FuzzInput(start, count)
    let columns = Int(input.choice())
    let rows = Int(input.choice())
    let keys = (0..<(input.choice() & 0x1F)).map { _ in input.choice() }
    let contentType = String(decoding: input.line(), as: UTF8.self)
    let bytes = Array(input.rest)
    let facts = BodyFacts(contentType: contentType.isEmpty ? nil : contentType, bytes: bytes)
    let body = LoadedBody(bytes)
    // Each viewer is asked for by name, as a person may, whether it suits the body or not.
    for type in BodyViewers.all {
        var run = ViewerRun(facts, body, type.name, columns: columns, rows: rows)
        for key in keys { run.press(key) }
        run.look()
    }
    return 0
}

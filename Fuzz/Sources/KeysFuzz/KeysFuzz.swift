internal import FuzzSupport

@testable internal import ProxydTUI

/// What a terminal sends, at any cuts: the keys are those of the bytes in one piece, and the
/// interface over a small store goes on, whatever was pressed, and shows only what a terminal may.
///
/// The first bytes choose the screen and the cuts, the rest comes from the terminal.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = FuzzInput(start, count)
    let size = Size(columns: max(1, Int(input.choice())), rows: max(1, Int(input.choice() & 0x7F)))
    let cut = input.choice()
    let pieces = Cuts.pieces(of: input.rest, choice: cut)
    var decoder = KeyDecoder(sequences: TerminalPlay.sequences)
    var whole = KeyDecoder(sequences: TerminalPlay.sequences)
    let events = pieces.flatMap { decoder.receive($0) }
    require(events == whole.receive(input.rest), "cuts make other keys")
    require(decoder.isWaiting == whole.isWaiting, "cuts leave something else begun")
    require(decoder.flush() == whole.flush(), "cuts make another last key")
    let play = TerminalPlay(size)
    // A pause now and then, in which an ESC is a key of its own.
    for (index, piece) in pieces.enumerated() where !play.hasQuit {
        guard play.receive(piece, pauses: index & 7 == 7) else { break }
    }
    return 0
}

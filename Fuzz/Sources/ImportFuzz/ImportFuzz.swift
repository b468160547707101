internal import FuzzSupport
internal import ProxydHTTPModel

@testable internal import ProxydInterchange

/// Files that are said to be HAR documents or JSON lines: read alike however they are cut, and
/// what is read is fit to be recorded.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = FuzzInput(start, count)
    let cuts = input.choice()
    let octets = Array(input.rest)
    let whole = Import.entries([octets])
    let cut = Import.entries(Cuts.pieces(of: octets, choice: cuts))
    require(
        whole.map(Import.said) == cut.map(Import.said), "cutting changes what is read")
    for case .success(let imported) in whole { checkWritten(imported) }
    return 0
}

/// What is read of a file.
private enum Import {
    static func entries(_ pieces: [[UInt8]]) -> [InterchangeReader.Entry] {
        var reader = InterchangeReader()
        var entries: [InterchangeReader.Entry] = []
        do {
            for piece in pieces { try reader.receive(piece) { entries.append($0) } }
            try reader.finish { entries.append($0) }
        } catch {
            // Only those that take entries may throw, and this one does not.
            fatalError("reading throws: \(error)")
        }
        return entries
    }

    /// An entry as it can be compared.
    static func said(_ entry: InterchangeReader.Entry) -> Result<Exchange, ImportProblem> {
        entry.map(\.exchange)
    }
}

/// What was read is fit to be recorded.
private func checkWritten(_ imported: ImportedExchange) {
    let id = ExchangeID(rawValue: 1)
    let update = imported.update(id: id, client: nil, server: nil, replayOf: nil)
    require(update.state != .active, "an exchange is read that never ends")
    require(
        update.requestBody.byteCount >= Int64(update.requestBody.appended.count)
            && update.responseBody.byteCount >= Int64(update.responseBody.appended.count),
        "more of a body is kept than there was")
    for head in [update.requestHead?.octets, update.responseHead?.octets] {
        require(head.map { !$0.isEmpty } ?? true, "a head without octets is read")
    }
}

internal import FuzzSupport
internal import ProxydHTTPModel

@testable internal import ProxydInterchange

/// Files that are said to be HAR documents, JSON lines, flows of mitmproxy or sessions of Charles:
/// read alike however they are cut, and what is read is fit to be recorded.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = FuzzInput(start, count)
    let cuts = input.choice()
    let bytes = Array(input.rest)
    let whole = Import.entries([bytes])
    let cut = Import.entries(Cuts.pieces(of: bytes, choice: cuts))
    // How much of gzip is unpacked before its limit depends on the pieces.
    require(
        bytes.starts(with: [0x1F, 0x8B]) || whole.map(Import.said) == cut.map(Import.said),
        "cutting changes what is read")
    for case .success(let part) in whole {
        switch part {
        case .exchange(let imported): checkWritten(imported)
        case .messages(let messages): for message in messages { checkWritten(message) }
        case .leftOut: break
        }
    }
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
    static func said(_ entry: InterchangeReader.Entry) -> Result<Said, ImportProblem> {
        entry.map { part in
            switch part {
            case .exchange(let imported): .exchange(imported.exchange)
            case .messages(let messages): .messages(messages)
            case .leftOut(let kind): .leftOut(kind)
            }
        }
    }

    enum Said: Equatable {
        case exchange(Exchange)
        case messages([MessageRecord])
        case leftOut(String)
    }
}

/// A message has a length that can be one, and lies in what can be a body.
private func checkWritten(_ message: MessageRecord) {
    require(
        message.position >= 0 && message.byteCount >= 0 && message.wireByteCount >= 0,
        "a message is read that cannot be")
    if case .body(let range) = message.content {
        require(
            range.lowerBound >= 0 && Int64(range.count) == message.byteCount,
            "a message is read that is another part of its body than it says")
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
    for head in [update.requestHead?.bytes, update.responseHead?.bytes] {
        require(head.map { !$0.isEmpty } ?? true, "a head without bytes is read")
    }
}

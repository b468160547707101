internal import FuzzSupport
internal import ProxydHTTPModel

@testable internal import ProxydControl

/// Lines of the control protocol: cut at the same places however they come, and what is
/// understood can be written and is understood again.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = FuzzInput(start, count)
    let cuts = input.choice()
    let bytes = Array(input.rest)
    checkSplitting(bytes, cuts)
    for line in bytes.split(separator: 0x0A) {
        if let request = try? ControlCoding.message(ControlRequest.self, from: Array(line)) {
            checkAgain(request)
            checkCommand(request.command)
        }
        if let reply = try? ControlCoding.message(ControlReply.self, from: Array(line)) {
            checkAgain(reply)
        }
    }
    return 0
}

private func checkSplitting(_ bytes: [UInt8], _ cuts: UInt8) {
    for byteCountMax in [16, ControlLimits.lineByteCountMax] {
        let whole = lines([bytes], byteCountMax)
        let cut = lines(Cuts.pieces(of: bytes, choice: cuts), byteCountMax)
        // Behind too long a line nothing counts.
        guard let whole, let cut else {
            require(whole == nil && cut == nil, "cutting changes what is too long")
            continue
        }
        require(whole == cut, "cutting changes the lines")
        require(
            whole
                == Array(
                    bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
                        .dropLast().map { Array($0) }), "other lines than there are")
    }
}

/// nil where a line is too long.
private func lines(_ pieces: [[UInt8]], _ byteCountMax: Int) -> [[UInt8]]? {
    var splitter = LineSplitter(byteCountMax: byteCountMax)
    var lines: [[UInt8]] = []
    for piece in pieces {
        guard let more = try? splitter.receive(piece.span) else { return nil }
        lines += more
    }
    return lines
}

private func checkAgain<Message: Codable & Equatable>(_ message: Message) {
    guard let line = try? ControlCoding.line(message) else {
        require(false, "what was understood cannot be written")
        return
    }
    require(!line.dropLast().contains(0x0A) && line.last == 0x0A, "a message is not one line")
    let again = try? ControlCoding.message(Message.self, from: Array(line.dropLast()))
    require(again == message, "what was written is understood otherwise")
}

private func checkCommand(_ command: ControlCommand) {
    guard case .importExchanges(_, let updates) = command else { return }
    for update in updates { look(at: update) }
}

/// Reads what the recorder would read.
private func look(at update: ExchangeUpdate) {
    require(update.memoryByteCount > 0, "news weigh nothing")
    _ = (update.url?.description, update.url?.pathText, update.url?.queryText)
    _ = update.requestHead.map { ($0.fields.pairs, $0.targetText) }
    for head in update.informational + [update.responseHead].compactMap({ $0 }) {
        _ = (head.fields.pairs, head.reason)
    }
    _ = (update.requestTrailers?.pairs, update.responseTrailers?.pairs)
    let timeline = update.timeline
    _ = (timeline.totalDuration, timeline.wait, timeline.blocked, timeline.receive)
    _ = Moment.allCases.map { timeline.wallTime(of: $0) }
}

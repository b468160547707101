internal import FuzzSupport
internal import ProxydHTTPWire

/// Event streams: the events are those that the standard's own words give, however the stream is
/// cut, and each is where it is said to be.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = FuzzInput(start, count)
    let cuts = input.choice()
    let stream = Array(input.rest)
    let pieces = Cuts.pieces(of: stream, choice: cuts)
    let items = scan([stream])
    require(scan(pieces) == items, "cutting changes what is found")
    checkRanges(items, byteCount: Int64(stream.count))
    let model = EventStreamModel(stream)
    let found = items.filter { $0.kind == .event && $0.isFinished }.map { item in
        let lines = stream[Int(item.range.lowerBound)..<Int(item.range.upperBound)]
        return ServerSentEvent(lines: Array(lines).span)
    }
    require(found.map(\.data) == model.events.map(\.data), "the data is not the standard's")
    require(found.map(\.event) == model.events.map(\.event), "a type is not the standard's")
    checkDecoder(pieces, model)
    return 0
}

private func scan(_ pieces: [[UInt8]]) -> [EventStreamItem] {
    var scanner = EventStreamScanner()
    var items: [EventStreamItem] = []
    for piece in pieces {
        var offset = 0
        while let item = scanner.next(in: piece.span, from: &offset) { items.append(item) }
        require(scanner.unfinishedStart <= scanner.byteCount, "more is unfinished than came")
    }
    if let item = scanner.finish() { items.append(item) }
    return items
}

/// Events follow each other; a comment lies in the next event, or before it.
private func checkRanges(_ items: [EventStreamItem], byteCount: Int64) {
    var end: Int64 = 0
    var commentEnd: Int64 = 0
    for (index, item) in items.enumerated() {
        require(item.range.upperBound <= byteCount, "an item reaches beyond the stream")
        require(item.isFinished || index == items.count - 1, "what is unfinished is the last")
        if item.kind == .comment {
            require(item.range.lowerBound >= max(end, commentEnd), "comments overlap")
            commentEnd = item.range.upperBound
        } else {
            require(item.range.lowerBound >= end, "events overlap")
            end = item.range.upperBound
        }
    }
}

private func checkDecoder(_ pieces: [[UInt8]], _ model: EventStreamModel) {
    var decoder = EventStreamDecoder()
    var events: [ServerSentEvent] = []
    for piece in pieces {
        do {
            try decoder.receive(piece.span, into: &events)
        } catch {
            require(false, "a small stream is too large")
        }
    }
    decoder.finish()
    require(events.map(\.data) == model.events.map(\.data), "a client reads other data")
    require(events.map(\.id) == model.events.map(\.id), "a client reads another ID")
    require(decoder.lastEventID == model.lastEventID, "the last ID is another")
    require(decoder.retryMs == model.retryMs, "the time to wait is another")
}

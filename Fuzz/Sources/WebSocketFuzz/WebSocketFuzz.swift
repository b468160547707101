internal import FuzzSupport
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydMessages

/// A WebSocket: any bytes are messages, how they are cut makes no difference, and what is kept is
/// bounded.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = FuzzInput(start, count)
    let choice = input.choice()
    let cuts = input.choice()
    let direction: MessageRecord.Direction = choice & 1 == 0 ? .toServer : .toClient
    let bytes = Array(input.rest)
    let agreement = agreement(choice)
    let limits = MessageLimits(
        keptByteCountMax: choice & 8 == 0 ? 64 : 1 << 20, inflatedByteCountMax: 1 << 20)
    let whole = run([bytes], direction, agreement, limits)
    let pieces = run(Cuts.pieces(of: bytes, choice: cuts), direction, agreement, limits)
    for record in whole + pieces {
        require(record.memoryByteCount <= limits.keptByteCountMax, "more is kept than may be")
        require(record.byteCount >= Int64(record.memoryByteCount), "more is kept than came")
        require(record.direction == direction, "the direction is wrong")
    }
    require(
        whole.reduce(0) { $0 + $1.wireByteCount } <= Int64(bytes.count), "more came than there is")
    // What a piece may be decompressed to depends on the bytes until then.
    let isOverLimit = { (record: MessageRecord) in
        record.problem?.hasPrefix("decompressed no further") == true
    }
    if whole.contains(where: isOverLimit) || pieces.contains(where: isOverLimit) { return 0 }
    require(whole.map(\.told) == pieces.map(\.told), "cutting changes the messages")
    return 0
}

private func agreement(_ choice: UInt8) -> WebSocketAgreement {
    let side = PermessageDeflate.Direction(
        keepsContext: choice & 16 == 0, windowBits: 8 + Int(choice >> 5))
    return WebSocketAgreement(
        deflate: choice & 2 == 0 ? nil : PermessageDeflate(client: side, server: side),
        hasOtherExtensions: choice & 4 != 0)
}

private func run(
    _ pieces: [[UInt8]], _ direction: MessageRecord.Direction, _ agreement: WebSocketAgreement,
    _ limits: MessageLimits
) -> [MessageRecord] {
    let observer = WebSocketObserver(agreement: agreement, limits: limits)
    var records: [MessageRecord] = []
    for piece in pieces { observer.receive(piece.span, direction) { records.append($0) } }
    observer.end { records.append($0) }
    return records
}

extension MessageRecord {
    /// All that is told, in a form that says what differs.
    fileprivate var told: String {
        "\(kind.name) \(flags.rawValue) \(byteCount) \(wireByteCount) \(content) \(problem ?? "")"
    }
}

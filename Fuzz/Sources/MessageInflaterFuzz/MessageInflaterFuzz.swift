internal import FuzzSupport
internal import ProxydContentCoding

/// Messages of a WebSocket, decompressed: bounded, and the same however the bytes are cut. What is
/// compressed is decompressed to what it was.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = FuzzInput(start, count)
    let choice = input.choice()
    let cuts = input.choice()
    let windowBits = 8 + Int(choice & 7)
    let keepsContext = choice & 8 == 0
    let bytes = Array(input.rest)
    let messages = Cuts.pieces(of: bytes, choice: choice >> 4)
    comesBack(messages, windowBits: windowBits, keepsContext: keepsContext)
    let make = { () throws(ContentCodingError) in
        try MessageInflater(
            windowBits: windowBits, keepsContext: keepsContext,
            limits: DecodingLimits(
                decodedByteCountMax: 256 << 10, ratioMax: 50, slackByteCount: 16 << 10))
    }
    guard let whole = try? make(), let cut = try? make() else { return 0 }
    for message in messages {
        let one = inflate(whole, [message])
        let other = inflate(cut, Cuts.pieces(of: message, choice: cuts))
        let allowance = min(256 << 10, 50 * (message.count + 4) + (16 << 10)) + (8 << 10)
        require(max(one.bytes.count, other.bytes.count) <= allowance, "more comes than may")
        // What a piece may be decompressed to depends on the bytes until then.
        if case .overLimit? = one.failure { return 0 }
        if case .overLimit? = other.failure { return 0 }
        require(one.failure == other.failure, "cutting changes the end")
        require(one.bytes == other.bytes, "cutting changes what comes out")
        require(whole.isReady == cut.isReady, "cutting changes what comes next")
    }
    return 0
}

private func comesBack(_ messages: [[UInt8]], windowBits: Int, keepsContext: Bool) {
    guard
        let deflater = try? MessageDeflater(windowBits: windowBits, keepsContext: keepsContext),
        let inflater = try? MessageInflater(
            windowBits: windowBits, keepsContext: keepsContext,
            limits: DecodingLimits(ratioMax: 2_000))
    else { return }
    for message in messages {
        guard let payload = try? deflater.deflate(message.span) else {
            return require(false, "a message cannot be compressed")
        }
        let back = inflate(inflater, [payload])
        require(back.failure == nil && back.bytes == message, "a message does not come back")
    }
}

private func inflate(
    _ inflater: MessageInflater, _ pieces: [[UInt8]]
) -> (bytes: [UInt8], failure: ContentCodingError?) {
    var bytes: [UInt8] = []
    let take = { (piece: Span<UInt8>) in
        piece.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
    }
    do throws(ContentCodingError) {
        for piece in pieces { try inflater.receive(piece.span, take) }
        try inflater.endMessage(take)
        return (bytes, nil)
    } catch {
        inflater.abandonMessage()
        return (bytes, error)
    }
}

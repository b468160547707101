internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// A message in progress: its kept bytes and what is known about it.
struct WebSocketMessage {
    /// How the message's bytes are read.
    enum Reading {
        case plain
        case inflating
        /// Compressed and cannot be decompressed: kept as received.
        case stillCompressed
        /// The first part was decompressed, but the rest cannot be.
        case givenUp
    }

    let kind: MessageRecord.Kind
    var flags: MessageRecord.Flags = []
    var reading = Reading.plain
    private var kept: [UInt8] = []
    private var byteCount: Int64 = 0
    private var wireByteCount: Int64 = 0
    private var problem: String?
    private var text: UTF8Validator?

    init(_ kind: MessageRecord.Kind) {
        self.kind = kind
        if kind == .text { text = UTF8Validator() }
    }

    /// Whether the message is being decompressed, or was until that failed.
    var isInflated: Bool {
        switch reading {
        case .inflating, .givenUp: true
        case .plain, .stillCompressed: false
        }
    }

    /// Reserves space for this many bytes, but no more than is reasonable for a single allocation.
    mutating func expect(_ byteCount: Int) {
        if kept.isEmpty { kept.reserveCapacity(min(byteCount, 64 << 10)) }
    }

    /// Counts received payload bytes, whether they are read or not.
    mutating func count(wire byteCount: Int) {
        wireByteCount = wireByteCount.addingReportingOverflow(Int64(byteCount)).partialValue
    }

    /// Appends the next bytes, unmasked and decompressed.
    mutating func append(_ bytes: Span<UInt8>, keptByteCountMax: Int) {
        let room = max(0, keptByteCountMax &- kept.count)
        bytes.withUnsafeBufferPointer { kept.append(contentsOf: $0.prefix(room)) }
        count(bytes.count)
        text?.receive(bytes)
    }

    /// Appends the next bytes, which are masked: the piece that the reader returned last.
    mutating func append(
        _ piece: Range<Int>, of input: Span<UInt8>, from reader: borrowing WebSocketFrameReader,
        keptByteCountMax: Int
    ) {
        let start = kept.count
        guard start &+ piece.count <= keptByteCountMax else {
            var plain: [UInt8] = []
            reader.append(piece, of: input, to: &plain)
            return append(plain.span, keptByteCountMax: keptByteCountMax)
        }
        reader.append(piece, of: input, to: &kept)
        count(piece.count)
        guard var validator = text else { return }
        validator.receive(kept.span.extracting(start..<kept.count))
        text = validator
    }

    private mutating func count(_ byteCount: Int) {
        self.byteCount = self.byteCount.addingReportingOverflow(Int64(byteCount)).partialValue
    }

    /// Records a protocol violation; only the first one is reported.
    mutating func note(_ fault: WebSocketFault) {
        flags.insert(.invalid)
        note(fault.description)
    }

    /// Records a problem; only the first one is reported.
    mutating func note(_ words: String) { problem = problem ?? words }

    /// Ends the message, complete or cut short by the end of the connection, and returns it with
    /// its kept bytes.
    consuming func record(
        _ direction: MessageRecord.Direction, isFinished: Bool
    ) -> MessageRecord {
        if isFinished { check() } else { flags.insert(.unfinished) }
        if text?.isValid == false { note(.invalidUTF8) }
        if byteCount > kept.count {
            flags.insert(.cut)
            if text != nil { dropPartOfCharacter() }
        }
        return MessageRecord(
            direction: direction, kind: kind, flags: flags, byteCount: byteCount,
            wireByteCount: wireByteCount, content: .bytes(kept), problem: problem)
    }

    /// Drops an incomplete character at the end, so that the kept part of a text is valid UTF-8.
    private mutating func dropPartOfCharacter() {
        let start = kept.suffix(4).lastIndex { $0 & 0xC0 != 0x80 } ?? kept.startIndex
        var validator = UTF8Validator()
        validator.receive(kept.span.extracting(start..<kept.count))
        if validator.isValid, !validator.isComplete { kept.removeSubrange(start...) }
    }

    /// Checks what can only be checked on the complete message.
    private mutating func check() {
        if kind == .close, byteCount == kept.count {
            do throws(WebSocketFault) {
                _ = try WebSocketClosing(kept.span)
            } catch {
                note(error)
            }
        }
        switch reading {
        case .plain, .inflating: if text?.isComplete == false { note(.invalidUTF8) }
        case .stillCompressed, .givenUp: break
        }
    }
}

internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// A message under way: what is kept of it and what is known.
struct WebSocketMessage {
    /// How its bytes are to be read.
    enum Reading {
        case plain
        case inflating
        /// Compressed, and beyond reading: kept as it is.
        case stillCompressed
        /// What came of it was decompressed, and the rest cannot be.
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

    /// Whether an inflater has to do with it.
    var isInflated: Bool {
        switch reading {
        case .inflating, .givenUp: true
        case .plain, .stillCompressed: false
        }
    }

    /// Makes room for so many bytes, within what one allocation may take unasked.
    mutating func expect(_ byteCount: Int) {
        if kept.isEmpty { kept.reserveCapacity(min(byteCount, 64 << 10)) }
    }

    /// Counts payload that came, read or not.
    mutating func count(wire byteCount: Int) {
        wireByteCount = wireByteCount.addingReportingOverflow(Int64(byteCount)).partialValue
    }

    /// Takes the next bytes.
    mutating func append(_ bytes: Span<UInt8>, keptByteCountMax: Int) {
        let room = max(0, keptByteCountMax &- kept.count)
        bytes.withUnsafeBufferPointer { kept.append(contentsOf: $0.prefix(room)) }
        count(bytes.count)
        text?.receive(bytes)
    }

    /// Takes the next bytes, which come masked: a piece that a reader has just handed out.
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

    /// Notes a broken rule: the first counts.
    mutating func note(_ fault: WebSocketFault) {
        flags.insert(.invalid)
        note(fault.description)
    }

    /// Notes what is wrong: the first counts.
    mutating func note(_ words: String) { problem = problem ?? words }

    /// Ends it, with all its bytes or where its connection did, and hands over what is kept.
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
            wireByteCount: wireByteCount, content: .octets(kept), problem: problem)
    }

    /// What is kept of a text is a text.
    private mutating func dropPartOfCharacter() {
        let start = kept.suffix(4).lastIndex { $0 & 0xC0 != 0x80 } ?? kept.startIndex
        var validator = UTF8Validator()
        validator.receive(kept.span.extracting(start..<kept.count))
        if validator.isValid, !validator.isComplete { kept.removeSubrange(start...) }
    }

    /// Looks at what can only be judged whole.
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

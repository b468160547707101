internal import ProxydContentCoding
public import ProxydHTTPModel
public import ProxydHTTPWire

/// Observes both directions of a WebSocket (RFC 6455) and reports the messages in them, unmasked
/// and decompressed. It changes and refuses nothing: protocol violations are reported with the
/// message.
///
/// Not thread-safe. Memory is bounded for each direction: the kept bytes of two messages, and
/// zlib's window if messages are compressed.
public final class WebSocketObserver {
    private var toServer: WebSocketFlow
    private var toClient: WebSocketFlow

    public init(agreement: WebSocketAgreement, limits: MessageLimits = MessageLimits()) {
        toServer = WebSocketFlow(.toServer, agreement: agreement, limits: limits)
        toClient = WebSocketFlow(.toClient, agreement: agreement, limits: limits)
    }

    /// Observes a connection that these fields have switched to WebSocket. If the server agreed to
    /// something invalid, a message that says so is passed to `tell`.
    public convenience init(
        request: HeaderFields, response: HeaderFields, limits: MessageLimits,
        _ tell: (MessageRecord) -> Void
    ) {
        var agreement = WebSocketAgreement()
        do throws(WebSocketAgreement.Fault) {
            agreement = try WebSocketAgreement(request: request, response: response)
        } catch {
            tell(.invalid(.toClient, error.description))
        }
        self.init(agreement: agreement, limits: limits)
    }

    /// Processes the next bytes of a direction and passes the messages completed by them to `tell`.
    public func receive(
        _ bytes: Span<UInt8>, _ direction: MessageRecord.Direction,
        _ tell: (consuming MessageRecord) -> Void
    ) {
        switch direction {
        case .toServer: toServer.receive(bytes, tell)
        case .toClient: toClient.receive(bytes, tell)
        }
    }

    /// Called when no more bytes follow; passes incomplete messages to `tell`.
    public func end(_ tell: (consuming MessageRecord) -> Void) {
        toServer.end(tell)
        toClient.end(tell)
    }

    /// Whether both sides have sent a close frame (RFC 6455 §7.1.4).
    public var isClosedCleanly: Bool { toServer.isClosed && toClient.isClosed }

    /// Whether either side has sent a close frame.
    public var isClosing: Bool { toServer.isClosed || toClient.isClosed }
}

/// Turns the frames of one direction of a WebSocket into messages.
///
/// Control frames may occur between the frames of a message (RFC 6455 §5.4), so two messages can be
/// in progress: `message`, and `aside`, which consists of the current frame only.
struct WebSocketFlow {
    private let direction: MessageRecord.Direction
    private let deflate: PermessageDeflate.Direction?
    private let limits: MessageLimits
    private var reader = WebSocketFrameReader()
    private var rules: WebSocketFrameRules
    private var message: WebSocketMessage?
    private var aside: WebSocketMessage?
    private var isFinalFrame = true
    /// Created for the first compressed message.
    private var inflater: MessageInflater?
    /// A piece with its mask removed, before decompression.
    private var unmasked: [UInt8] = []

    init(
        _ direction: MessageRecord.Direction, agreement: WebSocketAgreement, limits: MessageLimits
    ) {
        let sender: WebSocketSender = direction == .toServer ? .client : .server
        self.direction = direction
        self.limits = limits
        deflate = agreement.deflate?.direction(of: sender)
        rules = WebSocketFrameRules(sender: sender, agreement: agreement)
    }

    var isClosed: Bool { rules.isClosed }

    mutating func receive(_ bytes: Span<UInt8>, _ tell: (consuming MessageRecord) -> Void) {
        var offset = 0
        while true {
            switch reader.next(bytes, from: &offset) {
            case .needsMoreInput: return
            case .header(let header): begin(header, available: bytes.count &- offset, tell)
            case .payload(let piece, let isLast):
                if piece.count > 0 { take(piece, of: bytes) }
                if isLast { endFrame(tell) }
            }
        }
    }

    /// Called when the connection has ended: reports incomplete messages as they are.
    mutating func end(_ tell: (consuming MessageRecord) -> Void) {
        if let aside = take(&aside) { tell(aside.record(direction, isFinished: false)) }
        if let message = take(&message) { tell(message.record(direction, isFinished: false)) }
        inflater = nil
        unmasked = []
    }

    // MARK: Frames

    private mutating func begin(
        _ header: WebSocketFrameHeader, available: Int, _ tell: (consuming MessageRecord) -> Void
    ) {
        let fault = rules.check(header)
        isFinalFrame = header.isFinal
        switch header.opcode {
        case .text: begin(.text, header, tell)
        case .binary: begin(.binary, header, tell)
        case .continuation where message != nil: message?.flags.insert(.fragmented)
        case .close: aside = WebSocketMessage(.close)
        case .ping: aside = WebSocketMessage(.ping)
        case .pong: aside = WebSocketMessage(.pong)
        default: aside = WebSocketMessage(.invalid)
        }
        if let fault { note(fault) }
        // A frame that has already been received completely needs no space reserved for it.
        guard header.payloadByteCount > UInt64(truncatingIfNeeded: max(0, available)) else {
            return
        }
        let expected = Int(clamping: header.payloadByteCount)
        if aside != nil { aside?.expect(expected) } else { message?.expect(expected) }
    }

    private mutating func begin(
        _ kind: MessageRecord.Kind, _ header: WebSocketFrameHeader,
        _ tell: (consuming MessageRecord) -> Void
    ) {
        if var former = take(&message) {
            former.note("another message begins before it ends (RFC 6455 §5.4)")
            if former.isInflated { inflater?.abandonMessage() }
            tell(former.record(direction, isFinished: false))
        }
        var next = WebSocketMessage(kind)
        if !header.isFinal { next.flags.insert(.fragmented) }
        if header.isCompressed, let deflate { beginInflating(&next, deflate) }
        message = next
    }

    private mutating func note(_ fault: WebSocketFault) {
        if aside != nil { aside?.note(fault) } else { message?.note(fault) }
    }

    private mutating func endFrame(_ tell: (consuming MessageRecord) -> Void) {
        if let aside = take(&aside) {
            tell(aside.record(direction, isFinished: true))
        } else if isFinalFrame, var message = take(&message) {
            if message.isInflated { endInflating(&message) }
            tell(message.record(direction, isFinished: true))
        }
    }

    /// Moves a message out of its place, so that its buffers have only one owner.
    private func take(_ place: inout WebSocketMessage?) -> WebSocketMessage? {
        var taken: WebSocketMessage?
        swap(&taken, &place)
        return taken
    }

    private mutating func take(_ piece: Range<Int>, of bytes: Span<UInt8>) {
        if aside != nil {
            aside?.count(wire: piece.count)
            aside?.append(piece, of: bytes, from: reader, keptByteCountMax: limits.keptByteCountMax)
            return
        }
        message?.count(wire: piece.count)
        switch message?.reading {
        case .plain, .stillCompressed:
            message?.append(
                piece, of: bytes, from: reader, keptByteCountMax: limits.keptByteCountMax)
        case .inflating: inflate(piece, of: bytes)
        case .givenUp, nil: break
        }
    }

    // MARK: Compressed messages

    private mutating func beginInflating(
        _ message: inout WebSocketMessage, _ deflate: PermessageDeflate.Direction
    ) {
        message.flags.insert(.compressed)
        message.reading = .inflating
        if inflater == nil {
            inflater = try? MessageInflater(
                windowBits: deflate.windowBits, keepsContext: deflate.keepsContext,
                limits: limits.inflation)
        }
        guard inflater?.isReady != true else { return }
        message.reading = .stillCompressed
        message.flags.insert(.stillCompressed)
        message.note("cannot be decompressed without a message before it, which could not be")
    }

    private mutating func inflate(_ piece: Range<Int>, of bytes: Span<UInt8>) {
        guard var message = take(&message), let inflater else { return }
        do throws(ContentCodingError) {
            let max = limits.keptByteCountMax
            unmasked.removeAll(keepingCapacity: true)
            reader.append(piece, of: bytes, to: &unmasked)
            try inflater.receive(unmasked.span) { message.append($0, keptByteCountMax: max) }
        } catch {
            giveUp(&message, error)
        }
        self.message = message
    }

    private mutating func endInflating(_ message: inout WebSocketMessage) {
        if case .givenUp = message.reading { return inflater?.abandonMessage() ?? () }
        do throws(ContentCodingError) {
            let max = limits.keptByteCountMax
            try inflater?.endMessage { message.append($0, keptByteCountMax: max) }
        } catch {
            giveUp(&message, error)
        }
    }

    private func giveUp(_ message: inout WebSocketMessage, _ error: ContentCodingError) {
        message.reading = .givenUp
        message.flags.insert(.cut)
        if case .overLimit = error {
            message.note("decompressed no further: \(error)")
        } else {
            message.note(.undecompressable)
        }
    }
}

extension MessageLimits {
    fileprivate var inflation: DecodingLimits {
        DecodingLimits(
            decodedByteCountMax: inflatedByteCountMax, ratioMax: inflationRatioMax,
            slackByteCount: 1 << 20)
    }
}

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

    /// Ends the message, complete or cut short by the connection's end; returns it with kept bytes.
    consuming func record(_ direction: MessageRecord.Direction, isFinished: Bool) -> MessageRecord {
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

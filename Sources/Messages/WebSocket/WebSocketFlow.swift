internal import ProxydContentCoding
internal import ProxydHTTPModel
internal import ProxydHTTPWire

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

    /// Whether a close frame was received.
    var isClosed: Bool { rules.isClosed }

    mutating func receive(_ bytes: Span<UInt8>, _ tell: (consuming MessageRecord) -> Void) {
        var offset = 0
        while true {
            switch reader.next(bytes, from: &offset) {
            case .needsMoreInput: return
            case .header(let header):
                begin(header, available: bytes.count &- offset, tell)
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

    // MARK: Payload

    private mutating func take(_ piece: Range<Int>, of bytes: Span<UInt8>) {
        if aside != nil {
            aside?.count(wire: piece.count)
            aside?.append(
                piece, of: bytes, from: reader, keptByteCountMax: limits.keptByteCountMax)
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

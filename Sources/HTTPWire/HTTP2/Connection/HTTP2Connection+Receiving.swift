public import ProxydHTTPModel

/// Receiving: turning the peer's bytes into frames and events.
extension HTTP2Connection {
    /// Returns the next event in `input` from `offset` on, and moves `offset` past what was
    /// consumed. Ranges of `.body` are ranges of `input`. `now` is in monotonic nanoseconds.
    public mutating func receive(
        _ input: Span<UInt8>, from offset: inout Int, now: Int64
    ) throws(HTTP2Error) -> HTTP2Event {
        self.now = now
        do throws(HTTP2Error) {
            return try next(input, from: &offset, now: now)
        } catch {
            if !isFailed { fail(error) }
            throw error
        }
    }

    private mutating func next(
        _ input: Span<UInt8>, from offset: inout Int, now: Int64
    ) throws(HTTP2Error) -> HTTP2Event {
        while following.isEmpty {
            switch phase {
            case .failing(let error), .failed(let error): throw error
            case .preface(let count):
                guard try takePreface(input, from: &offset, after: count) else {
                    return .needsMoreInput
                }
            case .open:
                switch reader.next(input, from: &offset) {
                case .needsMoreInput: return .needsMoreInput
                case .header(let header): try begin(header, now: now)
                case .part(let range, let isLast):
                    notePart(input, range, isLast: isLast)
                    if data == nil { continue }
                    if let event = try takeData(input, range, isLast: isLast, now: now) {
                        return event
                    }
                case .payload(let range):
                    if let event = try takePayload(input, range, now: now) { return event }
                }
            }
        }
        return following.removeFirst()
    }

    /// Compares the input with the preface; returns whether all of it has been received.
    private mutating func takePreface(
        _ input: Span<UInt8>, from offset: inout Int, after count: Int
    ) throws(HTTP2Error) -> Bool {
        let preface = HTTP2Connection.clientPreface
        var count = count
        while count < preface.count, offset < input.count {
            guard input[offset] == preface[count] else {
                throw HTTP2Error(.protocolError, "the connection preface is not the client's")
            }
            offset &+= 1
            count &+= 1
        }
        phase = count == preface.count ? .open : .preface(count)
        return count == preface.count
    }

    // MARK: Frame headers

    private mutating func begin(_ header: FrameHeader, now: Int64) throws(HTTP2Error) {
        guard hasPeerSettings || header.isSettings else {
            throw HTTP2Error(
                .protocolError, "the peer does not speak HTTP/2: its first frame is not SETTINGS")
        }
        guard header.length <= Int(options.settings.frameByteCountMax) else {
            throw HTTP2Error(.frameSizeError, "a frame is larger than SETTINGS_MAX_FRAME_SIZE")
        }
        if block != nil {
            guard header.type == .continuation, header.stream == block?.stream.rawValue else {
                throw HTTP2Error(.protocolError, "a field section is interrupted by a frame")
            }
        }
        frame = header
        beginLog(header)
        if header.type == .data {
            try beginData(header, now: now)
            reader.stream(header)
        } else if header.type.isUnknown {
            try budget.spend(now: now)
            reader.stream(header)
        } else {
            reader.collect(header)
        }
    }

    private mutating func takePayload(
        _ input: Span<UInt8>, _ range: Range<Int>?, now: Int64
    ) throws(HTTP2Error) -> HTTP2Event? {
        if let range { return try handle(input.extracting(range), now: now) }
        let collected = reader.takeCollected()
        return try handle(collected.span, now: now)
    }

    private mutating func handle(
        _ payload: Span<UInt8>, now: Int64
    ) throws(HTTP2Error) -> HTTP2Event? {
        notePayload(payload)
        return switch frame.type {
        case .headers: try takeHeaders(payload, now: now)
        case .continuation: try takeContinuation(payload, now: now)
        case .priority: try takePriority(payload, now: now)
        case .resetStream: try takeReset(payload, now: now)
        case .settings: try takeSettings(payload, now: now)
        case .ping: try takePing(payload, now: now)
        case .goAway: try takeGoAway(payload, now: now)
        case .windowUpdate: try takeWindowUpdate(payload, now: now)
        case .priorityUpdate: try takePriorityUpdate(payload, now: now)
        default: throw HTTP2Error(.protocolError, "an unwanted response was pushed")
        }
    }

    // MARK: DATA

    /// The maximum size of an unwanted body that is discarded before its stream is reset.
    private static let thrownAwayByteCountMax = 16 << 20

    private mutating func beginData(_ header: FrameHeader, now: Int64) throws(HTTP2Error) {
        let id = try streamID(header)
        guard isKnown(id) else { throw HTTP2Error(.protocolError, "DATA on an idle stream") }
        receiveWindow &-= header.length
        guard receiveWindow >= 0 else {
            throw HTTP2Error(.flowControlError, "the connection's window is exceeded")
        }
        if header.length == 0, !header.flags.contains(.endStream) { try budget.spend(now: now) }
        var data = OpenData(
            stream: nil, left: header.length, padding: header.flags.contains(.padded) ? nil : 0,
            endsStream: header.flags.contains(.endStream), isPadded: header.flags.contains(.padded))
        if header.flags.contains(.padded), header.length == 0 {
            throw HTTP2Error(.frameSizeError, "a padded frame has no padding length")
        }
        if let stream = streams.find(id) {
            stream.receiveWindow &-= header.length
            if stream.receiving == .ended {
                try breakStream(stream, .streamClosed, now: now)
            } else if stream.receiving == .head {
                try breakStream(stream, .protocolError, now: now)
            } else if stream.receiveWindow < 0 {
                try breakStream(stream, .flowControlError, now: now)
            } else {
                data.stream = stream
            }
        } else {
            try checkClosed(id, byteCount: header.length, now: now)
        }
        if data.stream == nil { credit(header.length) }
        self.data = data
    }

    /// Handles a part of the current DATA frame: the padding length, data and padding.
    private mutating func takeData(
        _ input: Span<UInt8>, _ range: Range<Int>, isLast: Bool, now: Int64
    ) throws(HTTP2Error) -> HTTP2Event? {
        guard var data, let stream = data.stream else {
            if isLast { self.data = nil }
            return nil
        }
        var range = range
        var idle = 0
        if data.padding == nil, !range.isEmpty {
            let padding = Int(input[range.lowerBound])
            range = (range.lowerBound &+ 1)..<range.upperBound
            data.left &-= 1
            idle = 1
            guard padding <= data.left else {
                throw HTTP2Error(.protocolError, "padding is longer than its frame")
            }
            data.padding = padding
        }
        let body = min(range.count, data.left &- (data.padding ?? 0))
        idle &+= range.count &- max(0, body)
        data.left &-= range.count
        if body > 0 { data.carriesBody = true }
        self.data = isLast ? nil : data
        // An empty frame without padding has already cost a token.
        if isLast, !data.carriesBody, !data.endsStream, data.isPadded { try budget.spend(now: now) }
        creditIdle(idle, of: stream)
        let taken = range.lowerBound..<(range.lowerBound &+ max(0, body))
        return try takeBody(taken, of: stream, isLast: isLast && data.endsStream)
    }

    private mutating func takeBody(
        _ range: Range<Int>, of stream: HTTP2Stream, isLast: Bool
    ) throws(HTTP2Error) -> HTTP2Event? {
        guard !stream.isPassedOver else {
            throwAway(range.count, of: stream, isLast: isLast)
            return nil
        }
        budget.received(range.count)
        stream.receivedByteCount &+= UInt64(range.count)
        if let announced = stream.announcedByteCount,
            stream.receivedByteCount > announced || (isLast && stream.receivedByteCount < announced)
        {
            creditIdle(range.count, of: stream)
            if isLast { receivingEnded(stream) }
            return try breakMessage(stream, .lengthMismatch)
        }
        took(range.count, of: stream)
        if isLast {
            receivingEnded(stream)
            if range.isEmpty { return .end(stream.id) }
            following.append(.end(stream.id))
        }
        return range.isEmpty ? nil : .body(stream.id, range)
    }

    /// Discards body bytes that are not wanted.
    private mutating func throwAway(_ count: Int, of stream: HTTP2Stream, isLast: Bool) {
        creditIdle(count, of: stream)
        stream.thrownAwayByteCount &+= count
        if isLast {
            receivingEnded(stream)
        } else if stream.thrownAwayByteCount > HTTP2Connection.thrownAwayByteCountMax {
            closeByReset(stream, .noError)
        }
    }

    /// Called when the peer has ended its direction of a stream.
    mutating func receivingEnded(_ stream: HTTP2Stream) {
        stream.receiving = .ended
        if stream.isClosed { close(stream, .ended) }
    }

    // MARK: Errors of streams

    /// Handles a malformed message from the peer. A request can still be answered; the rest of it
    /// is ignored. The stream of a response is reset. A message costs a token if it causes work and
    /// then undoes it, or if it is large for the few bytes in which it was received, just as a
    /// reset before the response does.
    mutating func breakMessage(
        _ stream: HTTP2Stream, _ kind: WireError.Kind, fields: FieldBlock? = nil
    ) throws(HTTP2Error) -> HTTP2Event {
        let isAfterHead = stream.receiving != .head
        let undoesWork = isAfterHead && stream.sending == .head
        if role == .server, undoesWork || (fields?.excess ?? .none) != .none {
            try budget.spend(now: now)
        }
        stream.isPassedOver = true
        if role == .client { closeByReset(stream, .protocolError) }
        return .malformed(
            stream.id,
            MalformedMessage(
                WireError(kind, in: role == .server ? .request : .response), fields,
                isAfterHead: isAfterHead))
    }

    /// Resets a stream on which the peer violated the protocol (RFC 9113 §5.4.2). The stream's
    /// owner is notified as if the peer had reset it.
    mutating func breakStream(
        _ stream: HTTP2Stream, _ code: HTTP2ErrorCode, now: Int64
    ) throws(HTTP2Error) {
        try budget.spend(now: now)
        closeByReset(stream, code)
        following.append(.reset(stream.id, code, isOurs: true))
    }

    mutating func closeByReset(_ stream: HTTP2Stream, _ code: HTTP2ErrorCode) {
        writeReset(stream.id, code, in: stream.log)
        close(stream, .resetByUs)
    }

    /// Removes a stream from every place that refers to it.
    mutating func close(_ stream: HTTP2Stream, _ how: StreamTable.Closing) {
        guard streams.close(stream, how) else { return }
        stream.dropWaiting()
        stream.receiving = .ended
        stream.sending = .ended
        if case .ended = how { budget.exchangeEnded() }
        if stream.isQueued { sendQueue.removeAll { $0 === stream } }
        stream.isQueued = false
        release(stream)
        if data?.stream === stream {
            credit(data?.left ?? 0)
            data?.stream = nil
        }
    }

    /// Returns the stream that a frame names, or throws if it names none.
    func streamID(_ header: FrameHeader) throws(HTTP2Error) -> StreamID {
        guard header.stream > 0 else {
            throw HTTP2Error(.protocolError, "a stream's frame has no stream number")
        }
        return StreamID(rawValue: header.stream)
    }

    /// Whether the stream with this number is or was open (RFC 9113 §5.1.1).
    func isKnown(_ id: StreamID) -> Bool {
        let isOwn = (id.rawValue & 1 == 1) == (role == .client)
        return isOwn ? id.rawValue < nextOwnStream : id.rawValue <= highestPeerStream
    }

    /// Handles a frame that is not allowed on a closed stream: it is an error unless the peer could
    /// not know that the stream is closed.
    mutating func checkClosed(_ id: StreamID, byteCount: Int, now: Int64) throws(HTTP2Error) {
        if streams.takeLate(byteCount, on: id) { return }
        try budget.spend(now: now)
        guard role == .server, !isBeyondGoAway(id) else { return }
        switch streams.closing(of: id) {
        case .resetByUs: break
        case .ended, .resetByPeer, nil:
            writeReset(id, .streamClosed)
            streams.note(id, .resetByUs, lateByteCount: 0)
        }
    }

    /// Whether the peer started a stream with a higher number than the last one in our GOAWAY.
    func isBeyondGoAway(_ id: StreamID) -> Bool { ownGoAwayLast.map { id.rawValue > $0 } ?? false }

    // MARK: Flow control for received data (RFC 9113 §5.2)

    /// Pauses or resumes a stream. While it is paused because its reader is slow, its window is not
    /// enlarged.
    public mutating func setReceivingPaused(_ id: StreamID, _ isPaused: Bool) {
        guard let stream = streams.find(id), stream.isReceivingPaused != isPaused else { return }
        stream.isReceivingPaused = isPaused
        guard !isPaused else { return }
        release(stream)
        giveBack(stream)
    }

    /// Accounts for body bytes that were received and passed on.
    mutating func took(_ count: Int, of stream: HTTP2Stream) {
        stream.uncreditedByteCount &+= count
        if stream.isReceivingPaused {
            stream.pausedByteCount &+= count
            pausedByteCount &+= count
            if pausedByteCount > options.pausedByteCountMax {
                stream.connectionDebt &+= count
            } else {
                credit(count)
            }
        } else {
            credit(count)
            giveBack(stream)
        }
    }

    /// Accounts for received bytes that carry no data, such as padding, or data that is discarded:
    /// they need no reader.
    mutating func creditIdle(_ count: Int, of stream: HTTP2Stream) {
        guard count > 0 else { return }
        credit(count)
        stream.uncreditedByteCount &+= count
        if !stream.isReceivingPaused { giveBack(stream) }
    }

    /// Adds to the connection's window; WINDOW_UPDATE is sent once half the window has been used.
    mutating func credit(_ count: Int) {
        uncreditedByteCount &+= count
        guard uncreditedByteCount >= max(options.windowByteCount, 65_535) / 2, !isFailed else {
            return
        }
        writeWindowUpdate(0, by: uncreditedByteCount, in: connectionLog)
        receiveWindow &+= uncreditedByteCount
        uncreditedByteCount = 0
    }

    /// Sends WINDOW_UPDATE for a stream once half its window has been used.
    private mutating func giveBack(_ stream: HTTP2Stream) {
        let window = Int(options.settings.initialWindowByteCount)
        guard stream.receiving != .ended, stream.uncreditedByteCount >= max(1, window / 2) else {
            return
        }
        writeWindowUpdate(stream.id.rawValue, by: stream.uncreditedByteCount, in: stream.log)
        stream.receiveWindow &+= stream.uncreditedByteCount
        stream.uncreditedByteCount = 0
    }

    /// Stops counting a stream's bytes as received while paused.
    mutating func release(_ stream: HTTP2Stream) {
        pausedByteCount = max(0, pausedByteCount &- stream.pausedByteCount)
        stream.pausedByteCount = 0
        let debt = stream.connectionDebt
        stream.connectionDebt = 0
        if debt > 0 { credit(debt) }
    }
}

public import ProxydHTTPModel

/// Sending messages to the peer.
extension HTTP2Connection {
    /// A stream with this many bytes waiting is congested.
    private static let congestedByteCount = 256 << 10
    /// A congested stream that has only this many bytes waiting is no longer congested.
    private static let drainedByteCount = 64 << 10

    // MARK: Heads

    /// Starts a stream with a request; returns nil if no further stream may be opened. Returns the
    /// head sent, as text, if it differs from the one received. Its frames are logged in `log`. An
    /// extended CONNECT leaves its stream open whatever its body length is; the caller must know
    /// that the peer accepts extended CONNECT.
    public mutating func send(
        _ request: borrowing ForwardedRequest, log: FrameLog? = nil
    ) -> (id: StreamID, sent: (bytes: [UInt8], notes: ForwardingNotes)?)? {
        guard room > 0 else { return nil }
        let stream = HTTP2Stream(
            id: StreamID(rawValue: nextOwnStream), method: request.head.method,
            sendWindow: Int(peerSettings.initialWindowByteCount),
            receiveWindow: Int(options.settings.initialWindowByteCount), openedAt: now)
        stream.log = log
        nextOwnStream &+= 2
        streams.add(stream)
        budget.streamOpened()
        sink.begin()
        let notes = HTTP2HeadWriter.write(request, to: &sink)
        let endsStream = request.body == .none || request.body == .exactly(0)
        finishHead(of: stream, endsStream: endsStream && !request.head.isExtendedConnect)
        guard !notes.isEmpty else { return (stream.id, nil) }
        var text = TextSink()
        _ = HTTP2HeadWriter.write(request, to: &text)
        return (stream.id, (text.bytes, notes))
    }

    /// Sends the head of an interim response (RFC 9110 §15.2).
    public mutating func send(
        informational response: borrowing ForwardedResponse, on id: StreamID
    ) {
        guard let stream = streams.find(id), stream.sending == .head else { return }
        sink.begin()
        HTTP2HeadWriter.write(response, isBodiless: true, to: &sink)
        writeBlock(on: stream, endsStream: false)
    }

    /// Sends the head of the final response. If the response has no body, this also ends the
    /// stream's direction.
    public mutating func send(_ response: borrowing ForwardedResponse, on id: StreamID) {
        guard let stream = streams.find(id), stream.sending == .head else { return }
        let isTunnel = Framing.isTunnel(status: response.head.status, to: stream.method)
        let isBodiless = Framing.isBodiless(status: response.head.status, to: stream.method)
        sink.begin()
        // A tunnel's head must not contain a length (RFC 9110 §9.3.6).
        HTTP2HeadWriter.write(response, isBodiless: isBodiless && !isTunnel, to: &sink)
        if isTunnel { stream.becomeTunnel() }
        let endsStream =
            !isTunnel && (isBodiless || response.body == .none || response.body == .exactly(0))
        finishHead(of: stream, endsStream: endsStream)
    }

    private mutating func finishHead(of stream: HTTP2Stream, endsStream: Bool) {
        writeBlock(on: stream, endsStream: endsStream)
        stream.sending = .body
        if endsStream { sendingEnded(stream) }
    }

    // MARK: Bodies

    /// Sends a part of a body as soon as the windows and the other streams' turns allow.
    public mutating func send(body bytes: Span<UInt8>, on id: StreamID) {
        guard bytes.count > 0, let stream = streams.find(id), stream.sending == .body,
            stream.ending == nil
        else { return }
        stream.wait(bytes)
        if stream.waitingByteCount >= HTTP2Connection.congestedByteCount {
            stream.isCongested = true
        }
        queueIfSendable(stream)
    }

    /// Ends our direction once everything waiting has been sent. With a code, what the peer still
    /// sends is not wanted: with `noError` it is discarded, and the stream is reset only if there
    /// is a lot of it (RFC 9113 §8.1), because some clients treat a reset as a failure. With any
    /// other code the stream is reset once the direction has ended.
    public mutating func end(
        _ id: StreamID, trailers: HeaderFields?, thenReset code: HTTP2ErrorCode? = nil
    ) {
        guard let stream = streams.find(id), stream.ending == nil else { return }
        stream.finalCode = code
        if code != nil { stream.isPassedOver = true }
        guard stream.sending == .body else { return resetIfUnwanted(stream) }
        if let trailers, !trailers.isEmpty {
            stream.ending = .trailers(trailers)
        } else {
            stream.ending = .plain
        }
        queueIfSendable(stream)
    }

    /// Resets a stream with an error code. Data that was already waiting is sent first, as far as
    /// the windows allow. With `noError` it is dropped.
    public mutating func reset(_ id: StreamID, _ code: HTTP2ErrorCode) {
        guard let stream = streams.find(id) else { return }
        if code != .noError {
            while stream.waitingByteCount > 0, canSend(stream), takeTurn(stream) {}
        }
        if streams.find(id) != nil { closeByReset(stream, code) }
    }

    /// Sends the priority of the response that a stream is waiting for; `value` is the value of a
    /// Priority field (RFC 9218 §7.1).
    public mutating func send(priority value: [UInt8], of id: StreamID) {
        guard role == .client, let stream = streams.find(id) else { return }
        write(
            FrameHeader(length: 4 &+ value.count, type: .priorityUpdate), in: stream.log
        ) { output in
            output.appendBigEndian(id.rawValue)
            output.append(contentsOf: value)
        }
    }

    /// Whether so much data is waiting on a stream that its source should pause; `takeDrained`
    /// tells when it can resume.
    public func isCongested(_ id: StreamID) -> Bool { streams.find(id)?.isCongested ?? false }

    public func waitingByteCount(of id: StreamID) -> Int {
        streams.find(id)?.waitingByteCount ?? 0
    }

    /// Returns the streams that stopped being congested since the last call.
    public mutating func takeDrained() -> [StreamID] {
        defer { drained = [] }
        return drained
    }

    // MARK: Turns

    /// Returns the bytes to send now: all waiting frames, and DATA frames of the streams in turn,
    /// until there are about `byteCountMax` bytes.
    public mutating func takeOutput(_ byteCountMax: Int) -> [UInt8] {
        if !isAnnounced { announce() }
        pump(byteCountMax)
        defer { output = [] }
        return output
    }

    private mutating func pump(_ byteCountMax: Int) {
        var blocked = 0
        while blocked < sendQueue.count, output.count < byteCountMax {
            let stream = sendQueue.removeFirst()
            stream.isQueued = false
            blocked = takeTurn(stream) ? 0 : blocked &+ 1
            if canSend(stream) { addToSendQueue(stream) }
        }
    }

    /// Sends one frame of a stream; returns whether anything was sent.
    private mutating func takeTurn(_ stream: HTTP2Stream) -> Bool {
        let most = min(stream.sendWindow, sendWindow, frameByteCountMax, stream.waitingByteCount)
        if most > 0 {
            let endsStream = most == stream.waitingByteCount && isPlain(stream.ending)
            write(
                FrameHeader(
                    length: most, type: .data, flags: endsStream ? .endStream : [],
                    stream: stream.id.rawValue), in: stream.log
            ) { output in
                stream.take(most) { bytes in
                    bytes.withUnsafeBufferPointer { output.append(contentsOf: $0) }
                }
            }
            stream.sendWindow &-= most
            sendWindow &-= most
            budget.sent(most)
            tellIfDrained(stream)
            if endsStream { sendingEnded(stream) }
            return true
        }
        guard stream.waitingByteCount == 0, let ending = stream.ending else { return false }
        switch ending {
        case .plain:
            write(
                FrameHeader(length: 0, type: .data, flags: .endStream, stream: stream.id.rawValue),
                in: stream.log)
        case .trailers(let trailers):
            sink.begin()
            HTTP2HeadWriter.write(trailers: trailers, to: &sink)
            writeBlock(on: stream, endsStream: true)
        }
        sendingEnded(stream)
        return true
    }

    private func isPlain(_ ending: HTTP2Stream.Ending?) -> Bool {
        if case .plain = ending { true } else { false }
    }

    private mutating func tellIfDrained(_ stream: HTTP2Stream) {
        guard stream.isCongested,
            stream.waitingByteCount <= HTTP2Connection.drainedByteCount
        else { return }
        stream.isCongested = false
        drained.append(stream.id)
    }

    private mutating func sendingEnded(_ stream: HTTP2Stream) {
        stream.sending = .ended
        stream.ending = nil
        resetIfUnwanted(stream)
        if stream.isClosed { close(stream, .ended) }
    }

    /// Resets a stream that had an error, once our direction has ended.
    private mutating func resetIfUnwanted(_ stream: HTTP2Stream) {
        guard stream.sending == .ended, let code = stream.finalCode, code != .noError else {
            return
        }
        closeByReset(stream, code)
    }

    /// Whether a stream has something to send and its own window has room for it.
    private func canSend(_ stream: HTTP2Stream) -> Bool {
        guard stream.sending == .body else { return false }
        if stream.waitingByteCount == 0 { return stream.ending != nil }
        return stream.sendWindow > 0
    }

    mutating func queueIfSendable(_ stream: HTTP2Stream) {
        if canSend(stream) { addToSendQueue(stream) }
    }

    private mutating func addToSendQueue(_ stream: HTTP2Stream) {
        guard !stream.isQueued else { return }
        stream.isQueued = true
        sendQueue.append(stream)
    }

    // MARK: Writing frames

    /// Enough for the head of a usual message.
    private static let reservedByteCount = 512

    /// Writes a frame and logs it. `value` is the increment of a WINDOW_UPDATE or the error code of
    /// a reset.
    mutating func write(
        _ header: FrameHeader, value: UInt64 = 0, in log: FrameLog?,
        payload: (inout [UInt8]) -> Void = { _ in }
    ) {
        let start = output.count
        if start == 0 {
            output.reserveCapacity(max(HTTP2Connection.reservedByteCount, header.byteCountInAll))
        }
        header.write(into: &output)
        payload(&output)
        guard let log else { return }
        log.note(
            header, side: side, isSent: true, value: value,
            bytes: log.keepsBytes ? Array(output[start...]) : [], now: now)
    }

    var side: ConnectionRecord.Side { role == .server ? .client : .server }

    mutating func writeSettings(
        _ announced: [(identifier: HTTP2Settings.Identifier, value: UInt32)]
    ) {
        write(
            FrameHeader(length: HTTP2Settings.settingByteCount &* announced.count, type: .settings),
            in: connectionLog
        ) { output in
            for setting in announced {
                let number = setting.identifier.rawValue
                output.append(UInt8(truncatingIfNeeded: number &>> 8))
                output.append(UInt8(truncatingIfNeeded: number))
                output.appendBigEndian(setting.value)
            }
        }
    }

    mutating func writeSettingsAcknowledgement() {
        write(FrameHeader(length: 0, type: .settings, flags: .acknowledgement), in: connectionLog)
    }

    mutating func writePing(_ bytes: [UInt8], isAcknowledgement: Bool) {
        write(
            FrameHeader(length: 8, type: .ping, flags: isAcknowledgement ? .acknowledgement : []),
            in: connectionLog
        ) { $0.append(contentsOf: bytes) }
    }

    mutating func writeGoAway(last: UInt32, _ code: HTTP2ErrorCode, _ message: String) {
        write(
            FrameHeader(length: 8 &+ message.utf8.count, type: .goAway), in: connectionLog
        ) { output in
            output.appendBigEndian(last)
            output.appendBigEndian(code.rawValue)
            output.append(contentsOf: message.utf8)
        }
    }

    mutating func writeReset(_ id: StreamID, _ code: HTTP2ErrorCode, in log: FrameLog? = nil) {
        write(
            FrameHeader(length: 4, type: .resetStream, stream: id.rawValue),
            value: UInt64(code.rawValue), in: log
        ) { $0.appendBigEndian(code.rawValue) }
    }

    mutating func writeWindowUpdate(_ stream: UInt32, by count: Int, in log: FrameLog?) {
        let count = UInt32(clamping: count)
        write(
            FrameHeader(length: 4, type: .windowUpdate, stream: stream), value: UInt64(count),
            in: log
        ) { $0.appendBigEndian(count) }
    }

    /// Writes the field section in `sink`: a HEADERS frame, and CONTINUATION frames if the peer's
    /// maximum frame size requires them.
    mutating func writeBlock(on stream: HTTP2Stream, endsStream: Bool) {
        let block = sink.block
        let most = frameByteCountMax
        var start = 0
        repeat {
            let count = min(most, block.count &- start)
            var flags: FrameFlags = start &+ count == block.count ? .endHeaders : []
            if start == 0, endsStream { flags.insert(.endStream) }
            write(
                FrameHeader(
                    length: count, type: start == 0 ? .headers : .continuation, flags: flags,
                    stream: stream.id.rawValue), in: stream.log
            ) { $0.append(contentsOf: block[start..<(start &+ count)]) }
            start &+= count
        } while start < block.count
    }

    /// The maximum payload size of the frames sent, which also limits how much DATA a stream sends
    /// per turn.
    var frameByteCountMax: Int { min(Int(peerSettings.frameByteCountMax), 16_384) }
}

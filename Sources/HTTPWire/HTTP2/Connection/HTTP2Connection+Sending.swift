public import ProxydHTTPModel

/// What is sent to the peer.
extension HTTP2Connection {
    /// So many bytes that wait on a stream are enough for now.
    private static let congestedByteCount = 256 << 10
    /// So few are little again.
    private static let drainedByteCount = 64 << 10

    // MARK: Heads

    /// Begins a stream with a request; nil where there is no room. Tells what was sent, as text,
    /// where that is not just what came. Its frames are noted in `log`. An extended CONNECT leaves
    /// its stream open whatever its body is said to be; that the peer takes such is for the caller
    /// to know.
    public mutating func send(
        _ request: borrowing ForwardedRequest, log: FrameLog? = nil
    ) -> (id: StreamID, sent: (octets: [UInt8], notes: ForwardingNotes)?)? {
        guard room > 0 else { return nil }
        let stream = HTTP2Stream(
            id: StreamID(rawValue: nextOwnStream), method: request.head.method,
            sendWindow: Int(peerSettings.initialWindowByteCount),
            receiveWindow: Int(options.settings.initialWindowByteCount))
        stream.log = log
        nextOwnStream &+= 2
        streams.add(stream)
        sink.begin()
        let notes = HTTP2HeadWriter.write(request, to: &sink)
        let endsStream = request.body == .none || request.body == .exactly(0)
        finishHead(of: stream, endsStream: endsStream && !request.head.isExtendedConnect)
        guard !notes.isEmpty else { return (stream.id, nil) }
        var text = TextSink()
        _ = HTTP2HeadWriter.write(request, to: &text)
        return (stream.id, (text.octets, notes))
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

    /// Sends the head of the final response. What has no body ends with it.
    public mutating func send(_ response: borrowing ForwardedResponse, on id: StreamID) {
        guard let stream = streams.find(id), stream.sending == .head else { return }
        let isTunnel = Framing.isTunnel(status: response.head.status, to: stream.method)
        let isBodiless = Framing.isBodiless(status: response.head.status, to: stream.method)
        sink.begin()
        // Of a tunnel no length is told (RFC 9110 §9.3.6).
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

    /// Sends a piece of a body, as soon as windows and turns allow.
    public mutating func send(body octets: Span<UInt8>, on id: StreamID) {
        guard octets.count > 0, let stream = streams.find(id), stream.sending == .body,
            stream.ending == nil
        else { return }
        stream.wait(octets)
        if stream.waitingByteCount >= HTTP2Connection.congestedByteCount {
            stream.isCongested = true
        }
        getInLine(stream)
    }

    /// Ends a direction, once all that waits is sent. With a code, what the peer still sends is not
    /// wanted: with `noError` it is thrown away, and the stream reset only where that is much
    /// (RFC 9113 §8.1), as some clients take a reset for a failure. With another code the stream is
    /// reset once the direction has ended.
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
        getInLine(stream)
    }

    /// Ends a stream for a reason. What waits goes first, as far as windows allow: it came before
    /// that. With `noError` nothing more is wanted.
    public mutating func reset(_ id: StreamID, _ code: HTTP2ErrorCode) {
        guard let stream = streams.find(id) else { return }
        if code != .noError {
            while stream.waitingByteCount > 0, canSend(stream), takeTurn(stream) {}
        }
        if streams.find(id) != nil { closeByReset(stream, code) }
    }

    /// Says how urgent the response is that a stream waits for: the value of a Priority field
    /// (RFC 9218 §7.1).
    public mutating func send(priority value: [UInt8], of id: StreamID) {
        guard role == .client, let stream = streams.find(id) else { return }
        write(
            FrameHeader(length: 4 &+ value.count, type: .priorityUpdate), in: stream.log
        ) { output in
            output.appendBigEndian(id.rawValue)
            output.append(contentsOf: value)
        }
    }

    /// Whether so much waits on a stream that its source should rest; `takeDrained` tells when
    /// little does.
    public func isCongested(_ id: StreamID) -> Bool { streams.find(id)?.isCongested ?? false }

    /// How much waits on a stream.
    public func waitingByteCount(of id: StreamID) -> Int {
        streams.find(id)?.waitingByteCount ?? 0
    }

    /// The streams of which little waits again, since this was asked last.
    public mutating func takeDrained() -> [StreamID] {
        defer { drained = [] }
        return drained
    }

    // MARK: Turns

    /// What is to be sent now: all frames that wait, and DATA of the streams in their turns, until
    /// there are about so many bytes.
    public mutating func takeOutput(_ byteCountMax: Int) -> [UInt8] {
        pump(byteCountMax)
        defer { output = [] }
        return output
    }

    private mutating func pump(_ byteCountMax: Int) {
        var blocked = 0
        while blocked < line.count, output.count < byteCountMax {
            let stream = line.removeFirst()
            stream.isInLine = false
            blocked = takeTurn(stream) ? 0 : blocked &+ 1
            if canSend(stream) { joinLine(stream) }
        }
    }

    /// Sends one frame of a stream; says whether anything was sent.
    private mutating func takeTurn(_ stream: HTTP2Stream) -> Bool {
        let most = min(stream.sendWindow, sendWindow, frameByteCountMax, stream.waitingByteCount)
        if most > 0 {
            let endsStream = most == stream.waitingByteCount && isPlain(stream.ending)
            write(
                FrameHeader(
                    length: most, type: .data, flags: endsStream ? .endStream : [],
                    stream: stream.id.rawValue), in: stream.log
            ) { output in
                stream.take(most) { octets in
                    octets.withUnsafeBufferPointer { output.append(contentsOf: $0) }
                }
            }
            stream.sendWindow &-= most
            sendWindow &-= most
            budget.carried(most)
            tellIfDrained(stream)
            if endsStream { sendingEnded(stream) }
            return true
        }
        guard stream.waitingByteCount == 0, let ending = stream.ending else { return false }
        switch ending {
        case .plain:
            write(
                FrameHeader(
                    length: 0, type: .data, flags: .endStream, stream: stream.id.rawValue),
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

    /// Resets a stream that was in error, once its direction has ended.
    private mutating func resetIfUnwanted(_ stream: HTTP2Stream) {
        guard stream.sending == .ended, let code = stream.finalCode, code != .noError else {
            return
        }
        closeByReset(stream, code)
    }

    /// Whether a stream has something to send, and room for it in its own window.
    private func canSend(_ stream: HTTP2Stream) -> Bool {
        guard stream.sending == .body else { return false }
        if stream.waitingByteCount == 0 { return stream.ending != nil }
        return stream.sendWindow > 0
    }

    mutating func getInLine(_ stream: HTTP2Stream) {
        if canSend(stream) { joinLine(stream) }
    }

    private mutating func joinLine(_ stream: HTTP2Stream) {
        guard !stream.isInLine else { return }
        stream.isInLine = true
        line.append(stream)
    }
}

internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydTransport

/// Sending a call's body.
extension NetworkCall {
    /// The number of bytes of a body in memory that are passed on in one piece.
    private static let pieceByteCount = 256 * 1_024

    /// Sends what can be sent immediately. Streams wait for a connection, so that a body that can
    /// be read only once is not consumed too early.
    func sendPayload(over exchange: ClientExchange) {
        switch request.payload {
        case .none:
            // A head may announce a body that is empty.
            if request.framing != .none { finishBody(exchange) }
            isBodyComplete = true
        case .bytes(let bytes): send(bytes, over: exchange)
        case .stream: break
        }
    }

    /// Sends bytes from the current position until the connection has enough.
    func send(_ bytes: [UInt8], over exchange: ClientExchange) {
        guard !isBodyComplete else { return }
        let all = bytes.span
        while position < all.count {
            if position > 0, exchange.isCongested { break }
            let end = min(all.count, position + NetworkCall.pieceByteCount)
            let start = position
            position = end
            exchange.sendBody(all.extracting(start..<end))
        }
        noteSent(Int64(position))
        if position == all.count { finishBody(exchange) }
    }

    private func finishBody(_ exchange: ClientExchange) {
        isBodyComplete = true
        exchange.finishBody(trailers: request.trailers)
    }

    private func noteSent(_ byteCount: Int64) {
        known.sentByteCount = byteCount
        request.onSent?(byteCount)
    }

    /// Whether there is no single-use body, or it has not been read yet.
    var canSendPayloadAgain: Bool {
        guard case .stream(let stream) = request.payload else { return true }
        return stream.isReplayable || pump == nil
    }

    // MARK: Expect: 100-continue

    /// When the body is sent without the server's agreement.
    var continueDueNs: Int64 {
        guard let askedNs, let timeoutNs = request.continueTimeoutNs else { return .max }
        return askedNs &+ timeoutNs
    }

    /// The head has been sent: the body waits for the server.
    func askForBody() {
        askedNs = lastActivityNs
        lane.watch(continueDueNs)
    }

    /// Sends the body after the server agreed or the wait expired.
    func sendAskedBody() {
        guard askedNs != nil, let exchange else { return }
        askedNs = nil
        noteActivity()
        lane.watch(lastActivityNs &+ request.idleTimeoutNs)
        sendPayload(over: exchange)
        startPump()
    }

    /// The response arrived before the body was sent, so it is not sent any more.
    func forgetAskedBody() {
        askedNs = nil
        isBodyComplete = true
        lane.watch(lastActivityNs &+ request.idleTimeoutNs)
    }

    // MARK: Streams

    /// Starts reading from a stream.
    func startPump() {
        guard case .stream(let stream) = request.payload, pump == nil else { return }
        let (last, number) = (lastPump, pumpNumber)
        pump = Task {
            // Only one pump may write at a time.
            await last?.value
            await pull(stream, number)
        }
    }

    private func pull(_ stream: BodyStream, _ number: Int) async {
        do {
            var source = try await stream.open()
            var count: Int64 = 0
            while let piece = try await source.next() {
                if piece.isEmpty { continue }
                count += Int64(piece.count)
                if let declared = stream.byteCount, count > declared {
                    throw ClientError(.bodyLengthMismatch(declared: declared, actual: count))
                }
                let wantsMore = await mailbox.write {
                    loop.execute { self.sendPiece(piece, number) }
                }
                guard wantsMore, !Task.isCancelled else { return }
            }
            // A cancelled pump sees an end of the stream that is not the real one.
            if Task.isCancelled { return }
            if let declared = stream.byteCount, count != declared {
                throw ClientError(.bodyLengthMismatch(declared: declared, actual: count))
            }
            loop.execute { self.endStream(number) }
        } catch {
            if Task.isCancelled { return }
            abandon(.wrapping(error, as: .bodyUnavailable))
        }
    }

    private func sendPiece(_ piece: [UInt8], _ number: Int) {
        guard let exchange, number == pumpNumber else { return mailbox.wakeWriter() }
        noteActivity()
        exchange.sendBody(piece.span)
        noteSent(known.sentByteCount + Int64(piece.count))
        if !exchange.isCongested { mailbox.wakeWriter() }
    }

    private func endStream(_ number: Int) {
        guard let exchange, number == pumpNumber else { return }
        noteActivity()
        finishBody(exchange)
    }
}

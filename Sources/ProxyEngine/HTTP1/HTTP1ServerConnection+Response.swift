internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydTransport

/// What the client of HTTP/1 gets.
extension HTTP1ServerConnection: ClientStream {
    var streamID: StreamID? { nil }

    var isCongested: Bool { stream.isCongested }

    /// A transfer coding that no one undoes cannot be told of in HTTP/1.0.
    func objection(to response: borrowing ForwardedResponse) -> ExchangeFailure? {
        guard response.body == .untilClose, let turn, turn.request.version < .http11,
            response.head.hasOpaqueTransferCoding
        else { return nil }
        return .codingUnknownToClient
    }

    func send(informational response: ForwardedResponse) {
        guard let turn else { return }
        if response.head.status == 100 { self.turn?.wasToldToContinue = true }
        // A client of 1.0 does not know interim responses (RFC 9110 §15.2).
        guard turn.request.version >= .http11 else { return }
        write(response, isPersistent: true)
    }

    func send(_ response: ForwardedResponse, isLast: Bool) {
        guard let turn else { return }
        let framing = recipient(of: turn.request, isPersistent: false).framing(of: response.body)
        let mayBeRepeated = response.head.status == 417 && isWaitingToSendBody(turn)
        let keepsAlive =
            turn.request.isPersistent && (isRequestComplete || mayBeRepeated) && !isStopping
            && framing != .untilClose && !isLast
        self.turn?.framing = framing
        self.turn?.keepsAlive = keepsAlive
        self.turn?.mayBeRepeated = mayBeRepeated
        write(response, isPersistent: keepsAlive)
    }

    /// Whether the client waits for 100 before it sends its body. Of final responses only 417 asks
    /// for the request again (RFC 9110 §10.1.1); after any other the connection closes, as it could
    /// not be told whether the body or another request comes next.
    private func isWaitingToSendBody(_ turn: borrowing Turn) -> Bool {
        turn.request.expectsContinue && !turn.wasToldToContinue && isBodyAwaited
    }

    private func write(_ response: ForwardedResponse, isPersistent: Bool) {
        guard let turn else { return }
        var octets: [UInt8] = []
        HTTP1HeadWriter.write(
            response, to: recipient(of: turn.request, isPersistent: isPersistent), into: &octets)
        stream.write(octets)
    }

    private func recipient(
        of request: borrowing RequestHead, isPersistent: Bool
    ) -> HTTP1Recipient {
        HTTP1Recipient(
            version: request.version, requestMethod: request.method, isPersistent: isPersistent)
    }

    func send(body octets: Span<UInt8>) {
        guard turn?.framing == .chunked else { return stream.write(octets) }
        var line: [UInt8] = []
        ChunkEncoder.writeChunkHeader(byteCount: octets.count, into: &line)
        stream.write(line)
        stream.write(octets)
        line.removeAll(keepingCapacity: true)
        ChunkEncoder.writeChunkEnd(into: &line)
        stream.write(line)
    }

    func end(trailers: HeaderFields?) {
        guard let turn else { return }
        if turn.framing == .chunked {
            var octets: [UInt8] = []
            ChunkEncoder.writeLastChunk(trailers: trailers, into: &octets)
            stream.write(octets)
        }
        // Where the request is still coming, the server has answered without reading it all: the
        // connection cannot be used again, and closing tells the client to stop sending.
        if turn.keepsAlive, turn.mayBeRepeated, !isRequestComplete {
            expectationFailed(turn.request)
        } else {
            exchangeEnded(keepsAlive: turn.keepsAlive)
        }
    }

    func answer(_ response: LocalResponse) {
        guard let turn else { return }
        let isPersistent = turn.request.isPersistent && isRequestComplete && !isStopping
        stream.write(
            response.octets(requestMethod: turn.request.method, isPersistent: isPersistent))
        exchangeEnded(keepsAlive: isPersistent)
    }

    func cutShort(isGone: Bool) {
        // Where a length or a last chunk is missing, the client sees the end as what it is, and
        // gets all that came before. A body that ends with its connection needs the reset.
        if let framing = turn?.framing, framing != .untilClose, !isGone {
            close()
        } else {
            abort()
        }
    }

    func endUnanswered() { close() }

    /// Names of protocols are the same in any case (RFC 9110 §7.8).
    func agreedProtocol(in response: ResponseHead) -> String? {
        guard isRequestComplete, let turn else { return nil }
        let offered = turn.request.forwardedUpgradeProtocols
        let chosen = response.upgradeProtocols
        let isOffered = { (name: String) in
            offered.contains { ASCII.equalsIgnoringCase($0.utf8Span.span, name.utf8Span.span) }
        }
        guard let name = chosen.first, chosen.allSatisfy(isOffered) else { return nil }
        return name
    }

    func switchProtocols(
        _ response: ForwardedResponse, joining server: any DuplexStream, early: Span<UInt8>,
        tap: ExchangeTap
    ) {
        write(response, isPersistent: true)
        let tunnel = TunnelLayer(client: stream, server: server, worker: worker, tap: tap)
        let ahead = handOver(to: tunnel)
        tunnel.start(fromClient: ahead.span, fromServer: early)
        tellOfEnd(tunnel)
    }
}

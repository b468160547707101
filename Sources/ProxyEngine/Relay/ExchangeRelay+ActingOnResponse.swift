internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydTransport

/// What an actor may do to a response.
extension ExchangeRelay {
    /// Holds a response, starting with its head, which may differ from the one received.
    func hold(_ response: ForwardedResponse, received: ResponseHead) {
        guard let held, let actor = held.actor else { return }
        self.response = .held
        held.response = response
        held.responseHead = received
        held.responseLength = response.body
        ask {
            actor.responseHead(response, $0)
        } then: { relay, verdict in
            switch verdict {
            case .pass(let message, .stream): relay.release(message)
            case .pass(let message, .edited(let editor)): relay.release(message, editor: editor)
            case .pass(let message, .whole(let byteCountMax, let budget)):
                relay.wantResponseBody(of: message, byteCountMax: byteCountMax, from: budget)
            case .answer(let answer): relay.answer(answer)
            case .end(let end, let failure): relay.end(end, failure)
            }
        }
    }

    private func wantResponseBody(
        of message: ForwardedResponse, byteCountMax: Int, from budget: ByteBudget?
    ) {
        guard let held else { return }
        held.response = message
        held.responseContent.want(byteCountMax: byteCountMax, from: budget)
        setUpstreamPaused(.held, held.responseContent.isMuch)
        askAboutResponseBody()
    }

    func hold(responseBody bytes: Span<UInt8>) {
        guard let held else { return }
        held.responseContent.append(bytes)
        if held.responseContent.isMuch { setUpstreamPaused(.held, true) }
        askAboutResponseBody()
    }

    func holdResponseEnd(trailers: HeaderFields?) {
        held?.responseContent.isComplete = true
        askAboutResponseBody()
    }

    /// Asks about the whole body, if it was wanted, once it is complete or too large.
    private func askAboutResponseBody() {
        guard let held, let actor = held.actor, let message = held.response,
            held.responseContent.wantedByteCountMax != nil,
            held.responseContent.isComplete || held.responseContent.isTooLarge
        else { return }
        let body = held.responseContent.isTooLarge ? nil : held.responseContent.body
        held.responseContent.wantedByteCountMax = nil
        ask {
            actor.responseBody(body, of: message, $0)
        } then: { relay, verdict in
            switch verdict {
            case .pass(let message, let replacement):
                relay.release(message, body: body == nil ? nil : replacement)
            case .answer(let answer): relay.answer(answer)
            case .end(let end, let failure): relay.end(end, failure)
            }
        }
    }

    /// Sends the response with the part of its body that has arrived, with another body, or with
    /// its own body, changed while it streams.
    func release(
        _ message: ForwardedResponse, body replacement: [UInt8]? = nil,
        editor: (any FlowingBodyEditor)? = nil
    ) {
        guard let held else { return }
        var message = message
        let isBodiless = message.head.isBodiless(to: client.requestMethod)
        message.fitBody(isBodiless: isBodiless, byteCount: replacement?.count)
        if let objection = client.objection(to: message) {
            return refuse(message, because: objection)
        }
        let isKept = !message.options.isSecret
        let hasSameLength = message.body.isSame(as: held.responseLength)
        if message.head != held.responseHead || !hasSameLength {
            recordSentHead(of: message, isSecret: !isKept)
        }
        held.dropsResponseBody = isBodiless
        if isBodiless, !hasSameLength { recordSentBody([], isKept: isKept) }
        if let replacement, !isBodiless { replaceResponseBody(replacement, isKept: isKept) }
        if let editor, !isBodiless {
            held.editedBody = EditedBody(
                editor, recordingIn: tap, isKept: isKept,
                deliver: { [weak self] bytes in
                    guard let self else { return }
                    bodyMoved(now: worker.now)
                    self.held?.send(bytes, else: deliver)
                },
                setPaused: { [weak self] in self?.setUpstreamPaused(.edited, $0) })
        }
        if let pace = held.actor?.pace { beginDownstreamFlow(pace) }
        let content = held.responseContent
        held.response = nil
        held.responseContent = HeldContent()
        response = .streaming
        client.send(message, isLast: endsBoundConnection)
        if !content.body.isEmpty { passOn(responseBody: content.body.span) }
        setUpstreamPaused(.held, held.downstreamFlow?.isPaused ?? false)
        if content.isComplete { endResponse(now: worker.now) }
    }

    /// The last byte of the response body has arrived, and was edited if there is an editor.
    func endResponseFlow() {
        guard let flow = held?.downstreamFlow else { return complete(now: worker.now) }
        flow.whenGone { [weak self] in
            guard let self else { return }
            complete(now: worker.now)
        }
    }

    /// Cuts a response short after the bytes that the server sent: first the client gets what is
    /// being edited, what was held back for the end of a line, and what waits for the pace.
    func cutShortInOrder(_ failure: ExchangeFailure, _ cause: CutCause) {
        guard let body = held?.editedBody else { return cutShortAtPace(failure, cause) }
        body.finish { [weak self] in self?.cutShortAtPace(failure, cause) }
    }

    private func cutShortAtPace(_ failure: ExchangeFailure, _ cause: CutCause) {
        guard let flow = held?.downstreamFlow else { return cutShort(failure, cause) }
        flow.whenGone { [weak self] in self?.cutShort(failure, cause) }
    }

    private func replaceResponseBody(_ body: [UInt8], isKept: Bool) {
        guard let held, body != held.responseContent.body else { return }
        recordSentBody(body, isKept: isKept)
        held.responseContent.body = body
        dropDigestsOfResponse()
    }

    /// The status line of a secret head, with the content type if that is the one received.
    private func publicHead(of message: ForwardedResponse) -> ResponseHead {
        var head = message.head.withoutFields
        let type = message.head.fields.value(.contentType)
        if let type, type == held?.responseHead?.fields.value(.contentType) {
            head = head.changed(fields: HeaderFields([("Content-Type", type)]))
        }
        return head
    }

    private func recordSentBody(_ body: [UInt8], isKept: Bool) {
        if isKept { tap.record(.sentResponseBody(body)) } else { tap.countSentResponse(body.count) }
    }

    /// Records a head as the client gets it; for an HTTP/1 client in the form of HTTP/1.1, with its
    /// framing. Of a secret one, only the status line is recorded.
    func recordSentHead(of message: ForwardedResponse, isSecret: Bool = false) {
        guard !isSecret else {
            return tap.record(.sentResponseHead(publicHead(of: message).bytes))
        }
        guard client.streamID == nil else {
            return tap.record(.sentResponseHead(client.recordedHead(of: message).bytes))
        }
        let recipient = HTTP1Recipient(
            version: .http11, requestMethod: client.requestMethod, isPersistent: true)
        var bytes: [UInt8] = []
        HTTP1HeadWriter.write(message, to: recipient, into: &bytes)
        tap.record(.sentResponseHead(bytes))
    }

    private var endsBoundConnection: Bool {
        if case .open(let exchange) = upstream { exchange.endsBoundConnection } else { false }
    }
}

extension ForwardedResponse {
    /// Adjusts the framing to the head and to the length of a replaced body, since either may have
    /// been changed.
    fileprivate mutating func fitBody(isBodiless: Bool, byteCount: Int?) {
        if isBodiless {
            body = .none
        } else if let byteCount, body != .chunked {
            body = .exactly(UInt64(byteCount))
        } else if body == .none {
            body = .exactly(0)
        }
    }
}

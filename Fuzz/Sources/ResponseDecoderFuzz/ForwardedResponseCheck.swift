internal import FuzzSupport
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import WireSupport

/// Forwards a response and reads what goes to the client again, as the client would.
struct ForwardedResponseCheck {
    private let client: HTTP1Recipient
    private let options: ForwardedResponse.Options
    private let chunkByteCount: Int

    init(requestMethod: HTTPMethod, settings: UInt8) {
        client = HTTP1Recipient(
            version: settings & 0x04 == 0 ? .http11 : .http10, requestMethod: requestMethod,
            isPersistent: settings & 0x08 == 0)
        var options = ForwardedResponse.Options()
        if settings & 0x10 != 0 { options.viaPseudonym = "proxyd" }
        self.options = options
        chunkByteCount = 1 + Int(settings & 0x0F)
    }

    /// A whole response.
    func run(_ message: WireMessage<ResponseHead>) {
        let length = client.framing(of: message.length)
        var output = forwarded(message.head, message.length)
        let headByteCount = output.count
        message.writeBody(as: length, chunkByteCount: chunkByteCount, into: &output)
        let events = read(output)
        guard case .head(let sent, let sentLength)? = events.first else {
            require(false, "what is forwarded is no response: \(events)")
            return
        }
        let trailers = WireMessage.complete(in: events).first?.trailers
        require(
            Array(events.dropFirst()) == message.eventsBehindHead(trailers: trailers),
            "the body is forwarded as another: \(events)")
        require(
            sent.bytes.count == headByteCount && sentLength == length,
            "the framing is forwarded as another: \(events)")
        require(
            sent.isPersistent == (client.isPersistent && length != .untilClose),
            "the client is misled about the connection: \(events)")
        checkHead(sent, message.head)
        FieldChecks.checkTrailers(trailers, from: message.trailers)
    }

    /// A head that no body follows, perhaps a tunnel.
    func runBodiless(_ head: ResponseHead) {
        let events = read(forwarded(head, .none))
        guard case .head(let sent, .none)? = events.first else {
            require(false, "what is forwarded has a body: \(events)")
            return
        }
        checkHead(sent, head)
    }

    /// An interim response.
    func runInterim(_ head: ResponseHead) {
        let events = read(forwarded(head, .none))
        guard case .informational(let sent)? = events.first, events.count == 1 else {
            require(false, "what is forwarded is no interim response: \(events)")
            return
        }
        checkHead(sent, head)
    }

    private func forwarded(_ head: ResponseHead, _ length: BodyLength) -> [UInt8] {
        var output: [UInt8] = []
        HTTP1HeadWriter.write(
            ForwardedResponse(head: head, body: length, options: options), to: client,
            into: &output)
        return output
    }

    private func read(_ bytes: [UInt8]) -> [WireEvent<ResponseHead>] {
        WireTranscript(ResponseReader(method: client.requestMethod), pieces: [bytes]).events
    }

    private func checkHead(_ sent: ResponseHead, _ head: ResponseHead) {
        require(!sent.wasRepaired, "what is forwarded needs repair")
        require(
            sent.version == .http11 && sent.status == head.status
                && sent.bytes[sent.reasonRange].elementsEqual(mendedReason(head)),
            "the status line is forwarded as another")
        FieldChecks.checkForwarded(
            sent.fields, from: head.fields, nominated: head.connectionTokens)
        let allowed: Set = ["close", "upgrade"]
        require(allowed.isSuperset(of: sent.connectionTokens), "an option passes through")
    }

    /// A space stands for each control byte.
    private func mendedReason(_ head: ResponseHead) -> some Sequence<UInt8> {
        head.bytes[head.reasonRange].lazy.map {
            ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F ? 0x20 : $0
        }
    }
}

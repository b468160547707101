internal import FuzzSupport
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import WireSupport

/// Forwards a request and reads what goes to the origin again, as the origin would.
struct ForwardedRequestCheck {
    private let message: WireMessage<RequestHead>
    private let receiver: Receiver
    private let options: ForwardedRequest.Options
    private let chunkByteCount: Int

    init(_ message: WireMessage<RequestHead>, settings: UInt8) {
        self.message = message
        receiver =
            settings & 0x01 == 0 ? .proxy : .origin(scheme: "https", host: "a.test", port: 443)
        var options = ForwardedRequest.Options()
        if settings & 0x02 != 0 { options.viaPseudonym = "proxyd" }
        options.closesConnection = settings & 0x04 != 0
        options.regeneratesHost = settings & 0x08 != 0
        options.allowsUpgrade = settings & 0x10 == 0
        if settings & 0x20 != 0 { options.maxForwards = 7 }
        self.options = options
        chunkByteCount = 1 + Int(settings & 0x0F)
    }

    func run() {
        let head = message.head
        guard case .forward(let url)? = try? EffectiveTarget.resolve(head, via: receiver) else {
            return
        }
        var output: [UInt8] = []
        HTTP1HeadWriter.write(
            ForwardedRequest(head: head, url: url, body: message.length, options: options),
            into: &output)
        let headByteCount = output.count
        message.writeBody(as: message.length, chunkByteCount: chunkByteCount, into: &output)
        let events = WireTranscript(RequestReader(), pieces: [output]).events
        guard case .head(let sent, let length)? = events.first else {
            require(false, "what is forwarded is no request: \(events)")
            return
        }
        let trailers = WireMessage.complete(in: events).first?.trailers
        require(
            Array(events.dropFirst()) == message.eventsBehindHead(trailers: trailers),
            "the body is forwarded as another: \(events)")
        require(
            sent.bytes.count == headByteCount && length == message.length,
            "the framing is forwarded as another: \(events)")
        require(
            sent.method == head.method && Array(sent.target) == url.origin
                && sent.version == .http11, "the request line is forwarded as another")
        FieldChecks.checkForwarded(
            sent.fields, from: head.fields, nominated: head.connectionTokens)
        FieldChecks.checkTrailers(trailers, from: message.trailers)
        checkHost(sent, url)
        checkConnection(sent)
        checkTwice(sent, url, Array(output.prefix(headByteCount)))
    }

    /// One Host, and behind an absolute target the target's.
    private func checkHost(_ sent: RequestHead, _ url: RawURL) {
        let hosts = sent.fields.values(named: "host")
        guard hosts.count == 1, let host = hosts.first else {
            require(false, "\(hosts.count) Host lines are forwarded")
            return
        }
        let target = message.head.target.first
        let isAbsolute = target != UInt8(ascii: "/") && target != UInt8(ascii: "*")
        guard isAbsolute || options.regeneratesHost else { return }
        let probe = RequestHead(
            method: .get, target: Array("\(url.scheme)://\(host)/".utf8),
            fields: HeaderFields([(name: "Host", value: host)]))
        guard case .forward(let named)? = try? EffectiveTarget.resolve(probe, via: .proxy) else {
            require(false, "the Host that is forwarded is none: \(host)")
            return
        }
        require(
            named.host.lowercased() == url.host.lowercased() && named.port == url.port,
            "the Host that is forwarded is another: \(host)")
    }

    private func checkConnection(_ sent: RequestHead) {
        let allowed: Set = ["close", "upgrade", "te"]
        require(allowed.isSuperset(of: sent.connectionTokens), "an option passes through")
        require(
            sent.connectionTokens.contains("close") == options.closesConnection,
            "another says when the connection closes")
        require(
            sent.fields.values(named: "te").allSatisfy { $0 == "trailers" }, "TE passes through")
        require(
            !sent.upgradeProtocols.contains { ["h2", "h2c"].contains($0.lowercased()) },
            "an upgrade to HTTP/2 passes through")
        require(sent.fields.values(named: "proxy-authorization").isEmpty, "a password passes on")
    }

    /// What was forwarded once is forwarded the next time as it is.
    private func checkTwice(_ sent: RequestHead, _ url: RawURL, _ once: [UInt8]) {
        var options = options
        options.viaPseudonym = nil
        options.maxForwards = nil
        let next = Receiver.origin(scheme: url.scheme, host: url.host, port: url.port)
        guard case .forward(let again)? = try? EffectiveTarget.resolve(sent, via: next) else {
            require(false, "what was forwarded cannot be forwarded again")
            return
        }
        require(again == url, "what was forwarded goes elsewhere the next time")
        var twice: [UInt8] = []
        HTTP1HeadWriter.write(
            ForwardedRequest(head: sent, url: again, body: message.length, options: options),
            into: &twice)
        require(twice == once, "forwarding again changes the head")
    }
}

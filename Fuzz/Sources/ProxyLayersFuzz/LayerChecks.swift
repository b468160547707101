internal import FuzzSupport
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import StreamSupport
internal import WireSupport

/// Reads what went out as its receivers would, strictly.
struct LayerChecks {
    let rows: [CheckedSink.Row]
    let client: FuzzStream
    let servers: [FuzzStream]
    let limits: WireLimits

    func run() {
        checkClient()
        // What a tunnel carries is no business of ours.
        guard !rows.contains(where: \.isSwitched) else { return }
        for server in servers { check(server) }
    }

    // MARK: Servers

    /// What a server got are requests that the client sent, whole but for the last.
    private func check(_ server: FuzzStream) {
        for event in WireTranscript(RequestReader(), pieces: [server.written]).events {
            switch event {
            case .head(let head, _):
                FieldChecks.checkWellFormed(head.fields)
                require(head.version == .http11, "a server is asked in another version")
                require(
                    rows.contains {
                        $0.request?.method == head.method && $0.origin == Array(head.target)
                    }, "a server is asked what no client asked")
            case .failed(let error):
                require(
                    error.kind == .closedEarly && !server.isOpen,
                    "what a server gets is no request: \(error)")
            default: break
            }
        }
    }

    // MARK: Client

    /// What the client got are responses to its requests, in order, whole but for the last.
    private func checkClient() {
        var methods = LayerChecks.methods(client.delivered, limits: limits)
        // One that cannot be read is answered too.
        methods.append(.get)
        var rest = client.written[...]
        var wholeCount = 0
        for method in methods {
            guard !rest.isEmpty else { break }
            guard let answer = Answer(rest, to: method, isClosed: client.ending == .closed) else {
                break
            }
            rest = rest.dropFirst(answer.byteCount)
            if answer.isWhole { wholeCount += 1 }
            if answer.opensTunnel {
                guard method == .connect, isReadInside else { return checkCount(wholeCount) }
            } else if !answer.isWhole {
                checkCut(answer)
                require(rest.isEmpty, "bytes follow a response that is cut short")
            } else if answer.endsWithConnection {
                require(
                    rows.last { $0.hasResponse }?.state == .complete,
                    "a response that is cut short looks complete")
            }
        }
        require(rest.isEmpty, "the client gets \(rest.count) bytes that no response holds")
        checkCount(wholeCount)
    }

    private func checkCount(_ wholeCount: Int) {
        let completeCount = rows.filter { $0.state == .complete }.count
        // A client whose connection was reset may have got less than was recorded.
        require(
            client.ending != .closed || wholeCount >= completeCount,
            "\(completeCount) exchanges are complete, and \(wholeCount) responses")
    }

    private func checkCut(_ answer: Answer) {
        require(
            rows.contains { $0.state == .failed } || client.ending != .closed,
            "a response is cut short, and no exchange failed")
    }

    /// Whether HTTP is read inside the tunnel that the client asked for.
    private var isReadInside: Bool {
        !rows.contains(where: \.isSwitched)
            && LayerChecks.tunnelled(client.delivered, limits: limits)?.first != 0x16
    }

    // MARK: What the client sent

    /// The methods of the client's requests, those in a tunnel included.
    static func methods(_ bytes: [UInt8], limits: WireLimits) -> [HTTPMethod] {
        var methods: [HTTPMethod] = []
        var rest: [UInt8]? = bytes
        while let bytes = rest {
            let part = heads(bytes, limits: limits)
            methods += part.methods
            rest = part.tunnelled
        }
        return methods
    }

    /// What the client sent behind its first CONNECT; nil where there is none.
    static func tunnelled(_ bytes: [UInt8], limits: WireLimits) -> [UInt8]? {
        heads(bytes, limits: limits).tunnelled
    }

    private static func heads(
        _ bytes: [UInt8], limits: WireLimits
    ) -> (methods: [HTTPMethod], tunnelled: [UInt8]?) {
        var decoder = RequestDecoder(limits: limits)
        var methods: [HTTPMethod] = []
        var offset = 0
        while let part = try? decoder.decode(bytes.span, from: &offset) {
            if case .needsMoreInput = part { break }
            guard case .head(let head, _) = part else { continue }
            methods.append(head.method)
            if head.method == .connect { return (methods, Array(bytes[offset...])) }
        }
        return (methods, nil)
    }
}

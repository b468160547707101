import ProxydHTTPModel
import ProxydHTTPWire

/// How a parser read bytes: the messages that were complete, and how it went on.
struct Reading: Sendable, Codable {
    struct Message: Sendable, Codable {
        /// Method and target, or the status code.
        let start: String
        /// Latin-1; nil where only its length is known.
        let body: String?
        let length: Int

        /// Whether two parsers saw the same message.
        func isSame(as other: Message) -> Bool {
            start == other.start && length == other.length
                && (body == nil || other.body == nil || body == other.body)
        }
    }

    enum End: String, Sendable, Codable { case refused, open, closed }

    var messages: [Message] = []
    var end = End.open
    var reason = ""
    /// What we mended and name on the row: clients take it, and h11 and nginx may not.
    var repairs: [String]?
}

/// How we read: decoder and, for requests, the check of target and Host, as the proxy does.
enum OurReading {
    static func of(_ peerCase: PeerCase) -> Reading {
        let bytes = Latin1.bytes(peerCase.bytes)
        return switch peerCase.role {
        case .request: requests(bytes).reading
        case .response: response(bytes, to: peerCase.methods).reading
        }
    }

    /// The bytes that the proxy would send on for those of a case; nil where it refuses them.
    static func forwarded(_ peerCase: PeerCase) -> [UInt8]? {
        let bytes = Latin1.bytes(peerCase.bytes)
        let run =
            switch peerCase.role {
            case .request: requests(bytes)
            case .response: response(bytes, to: peerCase.methods)
            }
        return run.reading.end == .refused || run.reading.messages.isEmpty ? nil : run.forwarded
    }

    private struct Run {
        var reading = Reading()
        var forwarded: [UInt8] = []
        var start = ""
        var body: [UInt8] = []
        var framing = BodyLength.none
        var trailers: HeaderFields?

        mutating func append(_ bytes: ArraySlice<UInt8>) {
            body += bytes
            if framing == .chunked {
                ChunkEncoder.writeChunkHeader(byteCount: bytes.count, into: &forwarded)
            }
            forwarded += bytes
            if framing == .chunked { ChunkEncoder.writeChunkEnd(into: &forwarded) }
        }

        mutating func end() {
            if framing == .chunked {
                ChunkEncoder.writeLastChunk(trailers: trailers, into: &forwarded)
            }
            reading.messages.append(
                .init(start: start, body: Latin1.text(body), length: body.count))
            body = []
            trailers = nil
        }

        mutating func refuse(_ error: WireError) {
            reading.end = .refused
            reading.reason = "\(error.kind)"
        }
    }

    private static let receiver = Receiver.origin(scheme: "http", host: "h", port: 80)

    private static func requests(_ bytes: [UInt8]) -> Run {
        var run = Run()
        var decoder = RequestDecoder()
        var offset = 0
        var isLast = false
        do throws(WireError) {
            while true {
                switch try decoder.decode(bytes.span, from: &offset) {
                case .needsMoreInput, .informational: return run
                case .head(let head, let length):
                    guard case .forward(let url) = try EffectiveTarget.resolve(head, via: receiver)
                    else { return run }
                    HTTP1HeadWriter.write(
                        ForwardedRequest(head: head, url: url, body: length), into: &run.forwarded)
                    run.start = "\(head.method) \(Latin1.text(head.target))"
                    run.framing = length
                    isLast = !head.isPersistent
                case .body(let range): run.append(bytes[range])
                case .trailers(let fields): run.trailers = fields
                case .end:
                    run.end()
                    if isLast {
                        run.reading.end = .closed
                        return run
                    }
                }
            }
        } catch {
            run.refuse(error)
            return run
        }
    }

    private static func response(_ bytes: [UInt8], to methods: [String]) -> Run {
        var repairs: ResponseRepairs = []
        var run = responses(bytes, to: methods, repairs: &repairs)
        run.reading.repairs = repairs.texts
        return run
    }

    private static func responses(
        _ bytes: [UInt8], to methods: [String], repairs: inout ResponseRepairs
    ) -> Run {
        var run = Run()
        var decoder = ResponseDecoder()
        var methods = methods[...]
        var offset = 0
        defer { repairs.formUnion(decoder.repairs) }
        do throws(WireError) {
            while let method = methods.popFirst().map({ HTTPMethod(rawValue: $0) }) {
                repairs.formUnion(decoder.repairs)
                decoder.expectResponse(toMethod: method)
                var hasEnded = false
                while !hasEnded {
                    var part = try decoder.decode(bytes.span, from: &offset)
                    if case .needsMoreInput = part { part = try decoder.finish() }
                    switch part {
                    case .needsMoreInput: return run
                    case .informational(let head): forward(head, .none, to: method, in: &run)
                    case .head(let head, let length):
                        forward(head, length, to: method, in: &run)
                        if decoder.isTunnel { return run }
                    case .body(let range): run.append(bytes[range])
                    case .trailers(let fields): run.trailers = fields
                    case .end:
                        run.end()
                        hasEnded = true
                    }
                }
            }
            run.reading.end = .closed
        } catch  where error.kind == .closedEarly {
            // More was wanted.
        } catch {
            run.refuse(error)
        }
        return run
    }

    private static func forward(
        _ head: ResponseHead, _ length: BodyLength, to method: HTTPMethod, in run: inout Run
    ) {
        let client = HTTP1Recipient(version: .http11, requestMethod: method, isPersistent: true)
        HTTP1HeadWriter.write(
            ForwardedResponse(head: head, body: length), to: client, into: &run.forwarded)
        run.start = String(head.status)
        run.framing = head.isInformational ? .none : length
    }
}

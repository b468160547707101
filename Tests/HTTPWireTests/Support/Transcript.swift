import ProxydHTTPModel
import ProxydHTTPWire
import ProxydTestSupport

/// What a decoder says of bytes, as lines of text; body pieces that follow each other are joined,
/// so that it does not matter how the bytes were cut.
struct Transcript {
    private(set) var lines: [String] = []
    private var body: [UInt8]?

    mutating func note(_ line: String) {
        flush()
        lines.append(line)
    }

    mutating func note(body bytes: ArraySlice<UInt8>) {
        body = (body ?? []) + bytes
    }

    mutating func flush() {
        guard let bytes = body else { return }
        body = nil
        lines.append("body \(WireText.escaped(bytes))")
    }

    mutating func note(_ fields: HeaderFields, prefix: String) {
        for line in fields.lines {
            let name = WireText.escaped(fields.bytes[line.nameRange])
            let value = WireText.escaped(fields.bytes[line.valueRange])
            note(value.isEmpty ? "\(prefix) \(name):" : "\(prefix) \(name): \(value)")
        }
    }

    /// The bytes of `pieces`, one after the other, through a request decoder.
    static func ofRequests(
        _ pieces: [ArraySlice<UInt8>],
        endsThere: Bool = false,
        limits: WireLimits = WireLimits()
    ) -> [String] {
        var driver = RequestDriver(decoder: RequestDecoder(limits: limits))
        return driver.run(pieces, endsThere: endsThere)
    }

    /// The bytes of `pieces` through a response decoder that answers `methods` in turn.
    static func ofResponses(
        _ pieces: [ArraySlice<UInt8>],
        to methods: [HTTPMethod] = [.get],
        endsThere: Bool = false,
        limits: WireLimits = WireLimits()
    ) -> [String] {
        var driver = ResponseDriver(decoder: ResponseDecoder(limits: limits), methods: methods)
        return driver.run(pieces, endsThere: endsThere)
    }

    static func describe(_ length: BodyLength) -> String {
        switch length {
        case .none: "no-body"
        case .exactly(let count): "length=\(count)"
        case .chunked: "chunked"
        case .untilClose: "until-close"
        }
    }
}

/// One decoder that is fed and asked until it has nothing more to say.
private protocol DecoderDriver {
    associatedtype Head: Sendable
    mutating func decode(
        _ input: Span<UInt8>,
        from offset: inout Int
    ) throws(WireError) -> Decoded<Head>
    mutating func finish() throws(WireError) -> Decoded<Head>
    mutating func didEnd()
    func describe(_ head: Head) -> (line: String, fields: HeaderFields)
}

extension DecoderDriver {
    mutating func run(_ pieces: [ArraySlice<UInt8>], endsThere: Bool) -> [String] {
        var transcript = Transcript()
        var left: [UInt8] = []
        do throws(WireError) {
            for piece in pieces { try feed(piece, to: &transcript, left: &left) }
            while endsThere {
                let decoded = try finish()
                note(decoded, of: [], in: &transcript)
                // A head may end there, and what follows it then does too.
                guard case .head = decoded else { break }
            }
        } catch {
            transcript.note("error \(error.kind) \(error.suggestedStatus)")
        }
        if !left.isEmpty { transcript.note("left \(WireText.escaped(left))") }
        transcript.flush()
        return transcript.lines
    }

    private mutating func feed(
        _ piece: ArraySlice<UInt8>,
        to transcript: inout Transcript,
        left: inout [UInt8]
    ) throws(WireError) {
        var offset = 0
        while true {
            let decoded = try decode(piece.span, from: &offset)
            if case .needsMoreInput = decoded {
                left += piece.dropFirst(offset)
                return
            }
            note(decoded, of: piece, in: &transcript)
        }
    }

    private mutating func note(
        _ decoded: Decoded<Head>,
        of piece: ArraySlice<UInt8>,
        in transcript: inout Transcript
    ) {
        switch decoded {
        case .needsMoreInput: break
        case .informational(let head):
            transcript.note("informational \(describe(head).line)")
            transcript.note(describe(head).fields, prefix: "field")
        case .head(let head, let length):
            transcript.note("head \(describe(head).line) \(Transcript.describe(length))")
            transcript.note(describe(head).fields, prefix: "field")
        case .body(let range):
            let start = piece.startIndex
            transcript.note(body: piece[(start + range.lowerBound)..<(start + range.upperBound)])
        case .trailers(let fields): transcript.note(fields, prefix: "trailer")
        case .end:
            transcript.note("end")
            didEnd()
        }
    }
}

private struct RequestDriver: DecoderDriver {
    var decoder: RequestDecoder

    mutating func decode(
        _ input: Span<UInt8>,
        from offset: inout Int
    ) throws(WireError) -> Decoded<RequestHead> {
        try decoder.decode(input, from: &offset)
    }
    mutating func finish() throws(WireError) -> Decoded<RequestHead> { try decoder.finish() }
    mutating func didEnd() {}
    func describe(_ head: RequestHead) -> (line: String, fields: HeaderFields) {
        ("\(head.method) \(WireText.escaped(head.target)) \(head.version)", head.fields)
    }
}

private struct ResponseDriver: DecoderDriver {
    var decoder: ResponseDecoder
    var methods: [HTTPMethod]

    init(decoder: ResponseDecoder, methods: [HTTPMethod]) {
        self.decoder = decoder
        self.methods = methods
        didEnd()
    }

    mutating func decode(
        _ input: Span<UInt8>,
        from offset: inout Int
    ) throws(WireError) -> Decoded<ResponseHead> {
        try decoder.decode(input, from: &offset)
    }
    mutating func finish() throws(WireError) -> Decoded<ResponseHead> { try decoder.finish() }
    mutating func didEnd() {
        guard !methods.isEmpty else { return }
        decoder.expectResponse(toMethod: methods.removeFirst())
    }
    func describe(_ head: ResponseHead) -> (line: String, fields: HeaderFields) {
        let reason = WireText.escaped(head.bytes[head.reasonRange])
        return ("\(head.version) \(head.status) \"\(reason)\"", head.fields)
    }
}

extension WireVector {
    /// What our decoder says of the bytes cut into pieces.
    func transcript(_ pieces: [ArraySlice<UInt8>]) -> [String] {
        isResponse
            ? Transcript.ofResponses(pieces, to: methods, endsThere: endsThere)
            : Transcript.ofRequests(pieces, endsThere: endsThere)
    }
}

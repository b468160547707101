import ProxydHTTPModel
import ProxydHTTPWire

/// A message as it was on the wire: its head, and its content after transfer-coding.
struct WholeMessage {
    private(set) var head: [UInt8] = []
    private(set) var body: [UInt8] = []
    /// Heads of interim responses before it.
    private(set) var interim: [UInt8] = []
    /// Bytes that came behind it.
    private(set) var rest: [UInt8] = []
    private(set) var isComplete = false

    var text: String { String(decoding: head + body, as: UTF8.self) }

    /// A request, as far as it is among some bytes.
    init(request bytes: [UInt8]) throws {
        var decoder = RequestDecoder()
        try read(bytes) { (input, offset) throws(WireError) in
            try decoder.decode(input, from: &offset)
        }
    }

    /// A response to a method, as far as it is among some bytes.
    init(response bytes: [UInt8], to method: HTTPMethod) throws {
        var decoder = ResponseDecoder()
        decoder.expectResponse(toMethod: method)
        try read(bytes) { (input, offset) throws(WireError) in
            try decoder.decode(input, from: &offset)
        }
    }

    private mutating func read<Head>(
        _ bytes: [UInt8],
        _ decode: (Span<UInt8>, inout Int) throws(WireError) -> Decoded<Head>
    ) throws {
        var offset = 0
        var start = 0
        while !isComplete {
            switch try decode(bytes.span, &offset) {
            case .needsMoreInput: return
            case .informational: interim += bytes[start..<offset]
            case .head: head = Array(bytes[start..<offset])
            case .body(let range): body += bytes[range]
            case .trailers: break
            case .end: isComplete = true
            }
            start = offset
        }
        rest = Array(bytes[offset...])
    }
}

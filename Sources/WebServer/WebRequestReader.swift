internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydParameterCoding

/// Assembles requests from the bytes of a connection, without I/O.
struct WebRequestReader {
    enum Event {
        /// A head; its body follows.
        case head(RequestHead, BodyLength)
        /// The body of the last head is complete.
        case request(RequestHead, body: [UInt8], (any WebUpload)?)
        /// All input was consumed.
        case needsMoreInput
    }

    private var decoder: RequestDecoder
    private var head: RequestHead?
    private var body: [UInt8] = []
    private let bodyByteCountMax: Int
    /// Where the body goes instead of to memory.
    private var upload: (any WebUpload)?
    private var uploadedByteCount: Int64 = 0

    init(bodyByteCountMax: Int) {
        self.bodyByteCountMax = bodyByteCountMax
        var limits = WireLimits()
        limits.headByteCountMax = 65_536
        limits.requestLineByteCountMax = 32_768
        decoder = RequestDecoder(limits: limits)
    }

    /// The next event in `input` from `offset` on. Throws a problem that ends the connection.
    mutating func next(_ input: Span<UInt8>, from offset: inout Int) throws(WebProblem) -> Event {
        while true {
            switch try decode(input, from: &offset) {
            case .needsMoreInput: return .needsMoreInput
            case .informational, .trailers: continue
            case .head(let head, let length):
                self.head = head
                body = []
                return .head(head, length)
            case .body(let range): try take(input.extracting(range))
            case .end:
                guard let head else { continue }
                self.head = nil
                defer {
                    body = []
                    upload = nil
                }
                return .request(head, body: body, upload)
            }
        }
    }

    /// Sets where the body after a head goes; nil for memory.
    mutating func expect(_ length: BodyLength, in upload: (any WebUpload)?) throws(WebProblem) {
        self.upload = upload
        uploadedByteCount = 0
        let most = upload.map(\.byteCountMax) ?? Int64(bodyByteCountMax)
        if case .exactly(let count) = length, count > UInt64(most) { throw tooLarge(most) }
    }

    var isUploading: Bool { upload != nil }

    /// Gives up an upload that is refused.
    mutating func dropUpload() { upload = nil }

    private mutating func take(_ bytes: Span<UInt8>) throws(WebProblem) {
        guard let upload else {
            guard body.count + bytes.count <= bodyByteCountMax else {
                throw tooLarge(Int64(bodyByteCountMax))
            }
            return bytes.withUnsafeBufferPointer { body.append(contentsOf: $0) }
        }
        uploadedByteCount += Int64(bytes.count)
        guard uploadedByteCount <= upload.byteCountMax else { throw tooLarge(upload.byteCountMax) }
        do {
            try upload.append(bytes)
        } catch {
            throw error as? WebProblem ?? WebProblem(507, "\(error)")
        }
    }

    private mutating func decode(
        _ input: Span<UInt8>, from offset: inout Int
    ) throws(WebProblem) -> Decoded<RequestHead> {
        do throws(WireError) {
            return try decoder.decode(input, from: &offset)
        } catch {
            throw WebProblem(error.suggestedStatus, error.message)
        }
    }

    private func tooLarge(_ most: Int64) -> WebProblem {
        WebProblem(413, "the request body is larger than \(most) bytes")
    }

    /// The request of a head and a body. Throws if the target is not a path.
    static func request(
        _ head: RequestHead, body: [UInt8], upload: (any WebUpload)?,
        _ cancellation: WebCancellation
    ) throws(WebProblem) -> WebRequest {
        let query = QueryDecoder().decode(Array(head.target[pathEnd(head)...].dropFirst()))
        var request = WebRequest(
            method: head.method, path: try path(of: head),
            query: query.pairs.map { ($0.name, $0.value ?? "") }, fields: head.fields, body: body,
            cancellation: cancellation)
        request.upload = upload
        return request
    }

    /// The decoded segments of a request's path. Throws if the target is not a path.
    static func path(of head: RequestHead) throws(WebProblem) -> [String] {
        guard head.target.first == UInt8(ascii: "/") else {
            throw WebProblem(400, "this is not a proxy; the request target must start with /")
        }
        var path: [String] = []
        for segment in head.target[..<pathEnd(head)].split(separator: UInt8(ascii: "/")) {
            let (bytes, isValid) = PercentEncoding.decoded(segment)
            guard isValid, let text = String(validating: bytes, as: UTF8.self) else {
                throw WebProblem(400, "the path is not percent-encoded UTF-8")
            }
            path.append(text)
        }
        return path
    }

    private static func pathEnd(_ head: RequestHead) -> Int {
        head.target.firstIndex(of: UInt8(ascii: "?")) ?? head.target.endIndex
    }
}

internal import BenchmarkSamples
internal import BenchmarkSupport
internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// What the codec spends on usual messages.
@main
enum WireBenchmark {
    private static let operationCount = 20_000

    private static let request = WireSamples.request

    static func main() throws {
        try Measurement.report("a request head", operationCount: operationCount) {
            try decodeRequests(pieceByteCount: request.count)
        }
        try Measurement.report(
            "a request head in pieces of 64 bytes", operationCount: operationCount
        ) {
            try decodeRequests(pieceByteCount: 64)
        }
        try Measurement.report("a response of 12 bytes", operationCount: operationCount) {
            try decodeResponses(WireSamples.response, count: operationCount)
        }
        try Measurement.report("64 KiB in chunks of 4 KiB", operationCount: operationCount / 10) {
            try decodeResponses(WireSamples.chunkedBody, count: operationCount / 10)
        }
        let head = try requestHead()
        try Measurement.report("the destination of a request", operationCount: operationCount) {
            try resolve(head)
        }
        try Measurement.report("the head that goes to the server", operationCount: operationCount) {
            try forward(head)
        }
    }

    private static func decodeRequests(pieceByteCount: Int) throws -> Int {
        var decoder = RequestDecoder(limits: WireLimits())
        var witness = 0
        for _ in 0..<operationCount {
            var start = 0
            while start < request.count {
                let end = min(request.count, start + pieceByteCount)
                let piece = request.span.extracting(start..<end)
                var offset = 0
                while offset < piece.count || !decoder.isIdle {
                    let part = try decoder.decode(piece, from: &offset)
                    if case .needsMoreInput = part { break }
                    if case .head(let head, _) = part { witness &+= head.fields.count }
                    if case .end = part { break }
                }
                start = end
            }
        }
        return witness
    }

    private static func decodeResponses(_ bytes: [UInt8], count: Int) throws -> Int {
        var decoder = ResponseDecoder(limits: WireLimits())
        var witness = 0
        for _ in 0..<count {
            decoder.expectResponse(toMethod: .get)
            var offset = 0
            decoding: while true {
                switch try decoder.decode(bytes.span, from: &offset) {
                case .body(let range): witness &+= range.count
                case .end, .needsMoreInput: break decoding
                default: break
                }
            }
        }
        return witness
    }

    private static func requestHead() throws -> RequestHead {
        var decoder = RequestDecoder(limits: WireLimits())
        var offset = 0
        guard case .head(let head, _) = try decoder.decode(request.span, from: &offset)
        else {
            preconditionFailure("the sample is a whole request")
        }
        return head
    }

    private static func resolve(_ head: RequestHead) throws -> Int {
        var witness = 0
        for _ in 0..<operationCount {
            if case .forward(let url) = try EffectiveTarget.resolve(head, via: .proxy) {
                witness &+= Int(url.port)
            }
        }
        return witness
    }

    private static func forward(_ head: RequestHead) throws -> Int {
        guard case .forward(let url) = try EffectiveTarget.resolve(head, via: .proxy) else {
            return 0
        }
        var witness = 0
        for _ in 0..<operationCount {
            var bytes: [UInt8] = []
            HTTP1HeadWriter.write(
                ForwardedRequest(head: head, url: url, body: .none), into: &bytes)
            witness &+= bytes.count
        }
        return witness
    }
}

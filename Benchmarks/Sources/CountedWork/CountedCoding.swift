internal import BenchmarkSamples
internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// Messages decoded, heads written.
enum CountedCoding {
    static func requests(_ count: Int) throws -> Int {
        let sample = WireSamples.request
        var decoder = RequestDecoder(limits: WireLimits())
        var witness = 0
        for _ in 0..<count {
            var offset = 0
            decoding: while true {
                switch try decoder.decode(sample.span, from: &offset) {
                case .head(let head, _): witness &+= head.fields.count
                case .end, .needsMoreInput: break decoding
                default: break
                }
            }
        }
        return witness
    }

    static func responses(
        _ count: Int, _ sample: [UInt8] = WireSamples.response
    ) throws -> Int {
        var decoder = ResponseDecoder(limits: WireLimits())
        var witness = 0
        for _ in 0..<count {
            decoder.expectResponse(toMethod: .get)
            var offset = 0
            decoding: while true {
                switch try decoder.decode(sample.span, from: &offset) {
                case .body(let range): witness &+= range.count
                case .end, .needsMoreInput: break decoding
                default: break
                }
            }
        }
        return witness
    }

    /// Where a request goes, and the head that goes there.
    static func forwarded(_ count: Int) throws -> Int {
        let sample = WireSamples.request
        var decoder = RequestDecoder(limits: WireLimits())
        var offset = 0
        guard
            case .head(let head, _) = try decoder.decode(sample.span, from: &offset)
        else { return 0 }
        var witness = 0
        for _ in 0..<count {
            guard case .forward(let url) = try EffectiveTarget.resolve(head, via: .proxy) else {
                return 0
            }
            var bytes: [UInt8] = []
            HTTP1HeadWriter.write(
                ForwardedRequest(head: head, url: url, body: .none), into: &bytes)
            witness &+= bytes.count
        }
        return witness
    }
}

internal import ProxydContentCoding
internal import ProxydHTTPModel

/// A response body with its content codings removed.
enum DecodedBody {
    static func bytes(_ response: Response) -> [UInt8] {
        let codings = response.head.fields.values(named: "content-encoding")
        guard !codings.isEmpty else { return response.body.kept }
        let kept = response.body.kept
        return ContentDecoder.decode(
            kept.span, contentEncoding: codings.joined(separator: ",")
        ).bytes
    }
}

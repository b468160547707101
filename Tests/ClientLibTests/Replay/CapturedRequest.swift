import ClientLib
import Foundation
import ProxydHTTPWire

/// Exchanges as proxyd would have captured them.
enum CapturedRequest {
    /// An exchange whose request head is `head`, as it came from a client.
    static func exchange(
        _ head: String, to port: UInt16, body: [UInt8] = [], trailers: HeaderFields? = nil,
        response: Response? = nil, state: ExchangeState = .complete, id: Int64 = 7
    ) throws -> Exchange {
        let bytes = Array(head.replacingOccurrences(of: "\n", with: "\r\n").latin1)
        let parsed = try HeadParser.parseRequestHead(bytes)
        var origin = Array(parsed.target)
        if !origin.starts(with: [UInt8(ascii: "/")]) { origin = [UInt8(ascii: "/")] }
        return Exchange(
            id: ExchangeID(rawValue: id), state: state,
            request: Request(
                url: RawURL(scheme: "http", host: "127.0.0.1", port: port, origin: origin),
                head: parsed, body: Body(body), trailers: trailers),
            response: response, timeline: Timeline(wallStart: 1_000, start: 0))
    }

    static func response(
        _ status: Int, _ body: [UInt8], _ fields: [(name: String, value: String)] = []
    ) -> Response {
        Response(
            head: ResponseHead(status: status, reason: "OK", fields: HeaderFields(fields)),
            body: Body(body))
    }
}

extension String {
    /// One byte a character.
    var latin1: [UInt8] { unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } }
}

internal import ProxydHTTPModel

/// What Max-Forwards asks of a proxy (RFC 9110 §7.6.2): it applies only to TRACE and OPTIONS.
enum MaxForwards: Equatable {
    /// No limit: forward the request unchanged.
    case absent
    /// Forward the request with this value.
    case forward(UInt64)
    /// Answer the request here.
    case answer

    init(_ head: borrowing RequestHead) {
        guard head.method == .trace || head.method == .options,
            let text = head.fields.value(.maxForwards), !text.isEmpty,
            text.utf8.allSatisfy({ $0 &- 0x30 < 10 })
        else {
            self = .absent
            return
        }
        // A number that overflows counts as the largest one.
        let count = UInt64(text) ?? .max
        self = count == 0 ? .answer : .forward(count - 1)
    }
}

extension LocalResponse {
    /// The answer of the last recipient of TRACE or OPTIONS (RFC 9110 §9.3.7, §9.3.8).
    static func lastRecipient(of head: RequestHead) -> LocalResponse {
        guard head.method == .trace else {
            var response = LocalResponse(status: 200, reason: "OK", text: "proxyd")
            response.fields = [
                ("Allow", "CONNECT, DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT, TRACE")
            ]
            return response
        }
        return LocalResponse(
            status: 200, reason: "OK", contentType: "message/http", body: echo(of: head))
    }

    /// The request as received, without fields that may contain secrets.
    private static func echo(of head: RequestHead) -> [UInt8] {
        let secret: Set<FieldName> = [.authorization, .proxyAuthorization, .cookie]
        let lines = head.fields.lines
        var bytes = Array(head.bytes[..<Int(lines.first?.start ?? 0)])
        for line in lines where !secret.contains(line.name) {
            bytes.append(contentsOf: head.fields.bytes[line.range])
        }
        return bytes + [0x0D, 0x0A]
    }
}

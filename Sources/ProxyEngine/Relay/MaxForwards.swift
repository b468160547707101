internal import ProxydHTTPModel

/// What Max-Forwards asks of a proxy (RFC 9110 §7.6.2): only TRACE and OPTIONS are counted.
enum MaxForwards: Equatable {
    /// Nothing: forward the request as it is.
    case absent
    /// Forward it with this number.
    case forward(UInt64)
    /// The request ends here.
    case answer

    init(_ head: borrowing RequestHead) {
        guard head.method == .trace || head.method == .options,
            let text = head.fields.value(.maxForwards), !text.isEmpty,
            text.utf8.allSatisfy({ $0 &- 0x30 < 10 })
        else {
            self = .absent
            return
        }
        // A number too large to count is as good as the largest.
        let count = UInt64(text) ?? .max
        self = count == 0 ? .answer : .forward(count - 1)
    }
}

extension LocalResponse {
    /// What the last recipient of TRACE or OPTIONS answers (RFC 9110 §9.3.7, §9.3.8).
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

    /// The request as received, without what may be secret.
    private static func echo(of head: RequestHead) -> [UInt8] {
        let secret: Set<FieldName> = [.authorization, .proxyAuthorization, .cookie]
        let lines = head.fields.lines
        var octets = Array(head.octets[..<Int(lines.first?.start ?? 0)])
        for line in lines where !secret.contains(line.name) {
            octets.append(contentsOf: head.fields.octets[line.range])
        }
        return octets + [0x0D, 0x0A]
    }
}

internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// The head of a response as it is sent.
struct ResponseHeadText {
    /// How the body's end is determined.
    enum Length {
        case exactly(Int)
        /// With chunked coding, or by the end of the connection with HTTP/1.0.
        case pieces
    }

    let bytes: [UInt8]

    /// - Parameter request: The request's head; nil if the connection is closed after the response.
    init(
        _ response: WebResponse, _ common: [(name: String, value: String)], _ length: Length,
        _ request: RequestHead?
    ) {
        var text = "HTTP/1.1 \(response.status) \(StatusReason.text(of: response.status))\r\n"
        // A response may have a stricter policy than the others.
        let further = common.filter { field in
            !response.fields.contains { $0.name == field.name }
        }
        for field in response.fields + further { text += "\(field.name): \(field.value)\r\n" }
        switch length {
        case .exactly(let count):
            if response.status != 204, response.status != 304 {
                text += "Content-Length: \(count)\r\n"
            }
        case .pieces:
            if request?.version != .http10 { text += "Transfer-Encoding: chunked\r\n" }
        }
        if request?.isPersistent != true { text += "Connection: close\r\n" }
        bytes = Array((text + "\r\n").utf8)
    }
}

internal import ProxydHTTPModel

extension HTTPRequest {
    /// Whether the request waits for the server's permission before it sends the body (`Expect:
    /// 100-continue`, RFC 9110 §10.1.1): the server sends 100, or rejects the body, which is then
    /// never sent. If the server is silent for `timeouts.continueWait`, the body is sent; after a
    /// 417 response, the request is sent again without the expectation.
    public var expectsContinue: Bool {
        get { fields.expectsContinue }
        set {
            fields.removeAll(named: "Expect")
            if newValue { fields.append(name: "Expect", value: "100-continue") }
        }
    }
}

extension HTTPBody {
    /// Whether the body has at least this many bytes, or an unknown number.
    func isLarge(from byteCountMin: Int64) -> Bool {
        switch self {
        case .none: false
        case .bytes(let bytes): Int64(bytes.count) >= byteCountMin
        case .file(let path):
            ((try? FileSource.byteCount(ofFile: path)) ?? 0) >= byteCountMin
        case .stream(let stream): (stream.byteCount ?? .max) >= byteCountMin
        case .multipart(let form, _): (form.byteCount ?? .max) >= byteCountMin
        }
    }
}

extension HeaderFields {
    /// Whether the fields contain `Expect: 100-continue`.
    var expectsContinue: Bool { self["Expect"]?.lowercased() == "100-continue" }
}

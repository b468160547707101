internal import ProxydHTTPModel

extension HTTPRequest {
    /// Whether the server is asked before the body is sent (`Expect: 100-continue`, RFC 9110
    /// §10.1.1): it answers 100, or refuses a body that then never leaves. A server that says
    /// nothing for `timeouts.continueWait` gets the body; one that answers 417 is not asked again.
    public var expectsContinue: Bool {
        get { fields.expectsContinue }
        set {
            fields.removeAll(named: "Expect")
            if newValue { fields.append(name: "Expect", value: "100-continue") }
        }
    }
}

extension HTTPBody {
    /// Whether it has so many bytes, or no one knows how many.
    func isLarge(from byteCountMin: Int64) -> Bool {
        switch self {
        case .none: false
        case .octets(let octets): Int64(octets.count) >= byteCountMin
        case .file(let path):
            ((try? FileSource.byteCount(ofFile: path)) ?? 0) >= byteCountMin
        case .stream(let stream): (stream.byteCount ?? .max) >= byteCountMin
        case .multipart(let form, _): (form.byteCount ?? .max) >= byteCountMin
        }
    }
}

extension HeaderFields {
    /// Whether the fields ask for a word before the body.
    var expectsContinue: Bool { self["Expect"]?.lowercased() == "100-continue" }
}

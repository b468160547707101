/// A head whose version its bytes need not tell: those of HTTP/2 and HTTP/3 have the same form.
public protocol VersionedHead {
    /// Returns the head as one of another version of this form; an HTTP/1 head is unchanged.
    func inVersion(_ version: HTTPVersion) -> Self
}

extension RequestHead: VersionedHead {
    /// Returns the head as one of another version of this form; an HTTP/1 head is unchanged.
    public func inVersion(_ version: HTTPVersion) -> RequestHead {
        guard self.version >= .http2, version >= .http2 else { return self }
        return RequestHead(
            bytes: bytes, method: method, targetRange: targetRange, version: version,
            pseudoFields: pseudoFields, fields: fields)
    }
}

extension ResponseHead: VersionedHead {
    /// Returns the head as one of another version of this form; an HTTP/1 head is unchanged.
    public func inVersion(_ version: HTTPVersion) -> ResponseHead {
        guard self.version >= .http2, version >= .http2 else { return self }
        return ResponseHead(
            bytes: bytes, version: version, status: status, reasonRange: reasonRange,
            pseudoFields: pseudoFields, fields: fields)
    }
}

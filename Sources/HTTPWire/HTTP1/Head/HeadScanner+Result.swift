internal import ProxydHTTPModel

/// Converts the result of a scan to heads and fields.
extension HeadScanner {
    func requestHead(of bytes: [UInt8]) -> RequestHead {
        RequestHead(
            bytes: bytes,
            method: method(in: bytes.span),
            targetRange: (methodEnd &+ 1)..<targetEnd,
            version: HTTPVersion(major: major, minor: minor),
            fields: fields(of: bytes)
        )
    }

    func responseHead(of bytes: [UInt8]) -> ResponseHead {
        ResponseHead(
            bytes: bytes,
            version: HTTPVersion(major: major, minor: minor),
            status: status,
            reasonRange: reasonRange,
            fields: fields(of: bytes)
        )
    }

    /// Returns the field lines: in the head's own bytes if those may be forwarded, otherwise in a
    /// repaired copy.
    func fields(of bytes: [UInt8]) -> HeaderFields {
        needsRepair
            ? FieldRepair.repaired(bytes, lines: lines, leftOut: leftOut)
            : HeaderFields(bytes: bytes, lines: lines)
    }

    func method(in bytes: Span<UInt8>) -> HTTPMethod {
        HTTPMethod(bytes.extracting(0..<methodEnd))
    }
}

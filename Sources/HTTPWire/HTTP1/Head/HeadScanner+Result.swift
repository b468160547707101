internal import ProxydHTTPModel

/// Converts the result of a scan to heads and fields.
extension HeadScanner {
    func requestHead(of octets: [UInt8]) -> RequestHead {
        RequestHead(
            octets: octets,
            method: method(in: octets.span),
            targetRange: (methodEnd &+ 1)..<targetEnd,
            version: HTTPVersion(major: major, minor: minor),
            fields: fields(of: octets)
        )
    }

    func responseHead(of octets: [UInt8]) -> ResponseHead {
        ResponseHead(
            octets: octets,
            version: HTTPVersion(major: major, minor: minor),
            status: status,
            reasonRange: reasonRange,
            fields: fields(of: octets)
        )
    }

    /// Returns the field lines: in the head's own bytes if those may be forwarded, otherwise in a
    /// repaired copy.
    func fields(of octets: [UInt8]) -> HeaderFields {
        needsRepair
            ? FieldRepair.repaired(octets, lines: lines, leftOut: leftOut)
            : HeaderFields(octets: octets, lines: lines)
    }

    func method(in octets: Span<UInt8>) -> HTTPMethod {
        HTTPMethod(octets.extracting(0..<methodEnd))
    }
}

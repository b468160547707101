internal import ProxydHTTPModel

/// What a finished scan found, as the model's values.
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

    /// The field lines: in the head's octets where those may be sent on, else in a repaired copy.
    func fields(of octets: [UInt8]) -> HeaderFields {
        needsRepair
            ? FieldRepair.repaired(octets, lines: lines, leftOut: leftOut)
            : HeaderFields(octets: octets, lines: lines)
    }

    func method(in octets: Span<UInt8>) -> HTTPMethod {
        HTTPMethod(octets.extracting(0..<methodEnd))
    }
}

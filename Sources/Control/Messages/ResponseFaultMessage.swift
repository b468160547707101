internal import FoundationEssentials
internal import ProxydHTTPModel

/// `ResponseFault` in the format of the control socket.
struct ResponseFaultMessage: Sendable, Hashable, Codable {
    var refusedBytes: Data?
    var refusedReason: String?
    var repaired: [String]

    /// The JSON keys; `refusedOctets` stays for compatibility with other versions.
    private enum CodingKeys: String, CodingKey {
        case refusedBytes = "refusedOctets"
        case refusedReason, repaired
    }

    init(_ fault: ResponseFault) {
        refusedBytes = fault.refusal.map { Data($0.bytes) }
        refusedReason = fault.refusal?.reason
        repaired = fault.repairs
    }

    var fault: ResponseFault {
        ResponseFault(
            refusal: refusedReason.map {
                .init(bytes: refusedBytes.map { [UInt8]($0) } ?? [], reason: $0)
            },
            repairs: repaired)
    }
}

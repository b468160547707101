internal import FoundationEssentials
internal import ProxydHTTPModel

/// `ResponseFault` in the format of the control socket.
struct ResponseFaultMessage: Sendable, Hashable, Codable {
    var refusedOctets: Data?
    var refusedReason: String?
    var repaired: [String]

    init(_ fault: ResponseFault) {
        refusedOctets = fault.refusal.map { Data($0.octets) }
        refusedReason = fault.refusal?.reason
        repaired = fault.repairs
    }

    var fault: ResponseFault {
        ResponseFault(
            refusal: refusedReason.map {
                .init(octets: refusedOctets.map { [UInt8]($0) } ?? [], reason: $0)
            },
            repairs: repaired)
    }
}

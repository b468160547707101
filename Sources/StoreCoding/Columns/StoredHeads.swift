package import ProxydHTTPModel
internal import ProxydHTTPWire

/// The parts of an exchange that `content` stores as bytes, bodies excepted.
package struct StoredHeads: Sendable {
    /// The columns of `content`, in the order in which `init(_:)` expects them.
    package static let columns = [
        "request_head", "response_head", "request_trailers", "response_trailers", "interim_heads",
        "request_head_sent", "request_head_codings", "response_head_codings", "frames",
        "response_head_sent",
    ]

    /// The request head as received.
    package var requestOctets: [UInt8]?
    /// The response head as received.
    package var responseOctets: [UInt8]?
    package var requestOctetsSent: [UInt8]?
    package var responseOctetsSent: [UInt8]?
    package var requestTrailers: HeaderFields?
    package var responseTrailers: HeaderFields?
    package var informational: [ResponseHead] = []
    package var requestCodings: [UInt8] = []
    package var responseCodings: [UInt8] = []
    package var frames: [UInt8] = []

    /// The heads of an exchange without any.
    package init() {}

    /// Decodes a row with these columns.
    package init(_ row: some StoredValues) {
        requestOctets = row.octets(0)
        responseOctets = row.octets(1)
        requestTrailers = StoredHeads.trailers(row.octets(2))
        responseTrailers = StoredHeads.trailers(row.octets(3))
        informational = StoredHeads.interimHeads(row.octets(4) ?? [])
        requestOctetsSent = row.octets(5)
        requestCodings = row.octets(6) ?? []
        responseCodings = row.octets(7) ?? []
        frames = row.octets(8) ?? []
        responseOctetsSent = row.octets(9)
    }

    /// The request head, or nil if it could not be parsed.
    package var requestHead: RequestHead? {
        let head = requestOctets.flatMap {
            try? HeadParser.parseRequestHead($0, limits: StoredHeads.limits)
        }
        return head?.withCodings(requestCodings)
    }
    /// The request head as forwarded, or nil if it did not differ.
    package var sentRequestHead: RequestHead? {
        requestOctetsSent.flatMap {
            try? HeadParser.parseRequestHead($0, limits: StoredHeads.limits)
        }
    }
    /// The response head as the client received it, or nil if it did not differ.
    package var sentResponseHead: ResponseHead? {
        responseOctetsSent.flatMap {
            try? HeadParser.parseResponseHead($0, limits: StoredHeads.limits)
        }
    }
    /// The response head, or nil if there is none.
    package var responseHead: ResponseHead? {
        let head = responseOctets.flatMap {
            try? HeadParser.parseResponseHead(
                $0, limits: StoredHeads.limits, mayLackEmptyLine: true)
        }
        return head?.withCodings(responseCodings)
    }

    /// No limits: heads that were accepted under other limits must still be readable.
    private static let limits: WireLimits = {
        var limits = WireLimits()
        limits.methodByteCountMax = .max
        limits.requestLineByteCountMax = .max
        limits.headByteCountMax = .max
        limits.fieldCountMax = .max
        limits.responseHeadByteCountMax = .max
        limits.responseFieldCountMax = .max
        limits.trailerByteCountMax = .max
        return limits
    }()

    private static func trailers(_ octets: [UInt8]?) -> HeaderFields? {
        octets.flatMap { try? HeadParser.parseTrailers($0, limits: limits) }
    }

    /// Parses interim heads stored one after another; each ends with its empty line.
    private static func interimHeads(_ octets: [UInt8]) -> [ResponseHead] {
        var heads: [ResponseHead] = []
        var start = 0
        var lineStart = 0
        for index in octets.indices where octets[index] == 0x0A {
            let line = octets[lineStart..<index]
            lineStart = index + 1
            guard line.isEmpty || line.elementsEqual([0x0D]) else { continue }
            if let head = try? HeadParser.parseResponseHead(
                Array(octets[start...index]), limits: limits)
            {
                heads.append(head)
            }
            start = index + 1
        }
        return heads
    }
}
